"""Amounts: integers in a currency's smallest unit. https://docs.stripe.com/currencies"""

from collections.abc import Sequence
from fractions import Fraction

from .errors import refuse

ZERO_DECIMAL = frozenset({
    "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf",
})  # fmt: skip

THREE_DECIMAL = frozenset({"bhd", "jod", "kwd", "omr", "tnd"})

CURRENCIES = (
    "usd", "aed", "afn", "all", "amd", "ang", "aoa", "ars", "aud", "awg", "azn", "bam", "bbd", "bdt", "bgn", "bhd", "bif", "bmd",
    "bnd", "bob", "brl", "bsd", "bwp", "byn", "bzd", "cad", "cdf", "chf", "clp", "cny", "cop", "crc", "cve", "czk", "djf", "dkk",
    "dop", "dzd", "egp", "etb", "eur", "fjd", "fkp", "gbp", "gel", "gip", "gmd", "gnf", "gtq", "gyd", "hkd", "hnl", "hrk", "htg",
    "huf", "idr", "ils", "inr", "isk", "jmd", "jod", "jpy", "kes", "kgs", "khr", "kmf", "krw", "kwd", "kyd", "kzt", "lak", "lbp",
    "lkr", "lrd", "lsl", "mad", "mdl", "mga", "mkd", "mmk", "mnt", "mop", "mur", "mvr", "mwk", "mxn", "myr", "mzn", "nad", "ngn",
    "nio", "nok", "npr", "nzd", "omr", "pab", "pen", "pgk", "php", "pkr", "pln", "pyg", "qar", "ron", "rsd", "rub", "rwf", "sar",
    "sbd", "scr", "sek", "sgd", "shp", "sle", "sos", "srd", "std", "szl", "thb", "tjs", "tnd", "top", "try", "ttd", "twd", "tzs",
    "uah", "ugx", "uyu", "uzs", "vnd", "vuv", "wst", "xaf", "xcd", "xof", "xpf", "yer", "zar", "zmw",
)  # fmt: skip

# The smallest charge by settlement currency. https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
MINIMUM_CHARGE = {
    "usd": 50, "aed": 200, "aud": 50, "bgn": 100, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30,
    "hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50, "pln": 200, "ron": 200, "sek": 300,
    "sgd": 50, "thb": 1000,
}  # fmt: skip
MAXIMUM_CHARGE = 99_999_999

_SYMBOLS = {
    "usd": "$",
    "eur": "€",
    "gbp": "£",
    "jpy": "¥",
    "aud": "A$",
    "cad": "CA$",
    "inr": "₹",
    "nzd": "NZ$",
    "brl": "R$",
}


def major(amount: int, currency: str) -> str:
    """The amount in the currency's main unit, with thousands separated: `1,234.50`."""
    if currency in ZERO_DECIMAL:
        return f"{amount:,}"
    sign, whole = ("-" if amount < 0 else ""), abs(amount)
    places = 3 if currency in THREE_DECIMAL else 2
    return f"{sign}{whole // 10**places:,}.{whole % 10**places:0{places}d}"


def display(amount: int, currency: str) -> str:
    """The amount as Stripe's messages and line descriptions show it: `$12.50`, `12.50 SEK`."""
    if currency in _SYMBOLS:
        return ("-" if amount < 0 else "") + _SYMBOLS[currency] + major(abs(amount), currency)
    return f"{major(amount, currency)} {currency.upper()}"


def known_currency(currency: str, param: str = "currency") -> str:
    """The currency in lower case; refused where Stripe has none of that name."""
    code = currency.lower()
    if code not in CURRENCIES:
        raise refuse(
            f"Invalid currency: {currency}. Stripe currently supports these currencies: {', '.join(CURRENCIES)}",
            param=param,
        )
    return code


def check_charge_amount(amount: int, currency: str, param: str = "amount") -> None:
    """Refuses what is too little or too much for one charge."""
    minimum = MINIMUM_CHARGE.get(currency, 1)
    if currency in THREE_DECIMAL and amount % 10:
        raise refuse(
            f"Amounts in {currency} must be evenly divisible by 10.", code="parameter_invalid_integer", param=param
        )
    if amount < minimum:
        shown = display(minimum, currency)
        raise refuse(f"Amount must be at least {shown} {currency}", code="amount_too_small", param=param)
    if amount > MAXIMUM_CHARGE and currency not in ZERO_DECIMAL:
        shown = display(MAXIMUM_CHARGE, currency)
        raise refuse(f"Amount must be no more than {shown} {currency}", code="amount_too_large", param=param)


def rounded(value: Fraction) -> int:
    """To the nearest whole unit, halves away from zero."""
    whole = (abs(value) * 2 + 1) // 2
    return int(whole) if value >= 0 else -int(whole)


def percent(amount: int, percentage: float) -> int:
    """A percentage of an amount; the percentage is taken as it is written, so 2.9 is exactly 29/10."""
    return rounded(amount * Fraction(str(percentage)) / 100)


def processing_fee(amount: int) -> int:
    """What Stripe keeps of a card payment: 2.9 % and 30."""
    return percent(amount, 2.9) + 30


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """`total` in parts proportional to the weights that add up to it exactly: what is left over goes to the largest remainders."""
    whole = sum(weights)
    if whole == 0:
        return [0] * len(weights)
    exact = [Fraction(total * weight, whole) for weight in weights]
    parts = [int(share) for share in exact]
    order = sorted(range(len(weights)), key=lambda i: (parts[i] - exact[i], i))
    for i in order[: total - sum(parts)]:
        parts[i] += 1
    return parts
