"""Nightly import of suppliers' feeds."""


def read(rows: list[dict[str, str]]) -> dict[str, float]:
    missing = [row["sku"] for row in rows if not row.get("price")]
    if missing:
        raise ValueError(f"{len(missing)} SKUs without a price")
    return {row["sku"]: float(row["price"]) for row in rows}
