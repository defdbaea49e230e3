"""Numbers that are for sale. What there is follows from the place alone, so that every search finds the same.

https://www.twilio.com/docs/phone-numbers/api/availablephonenumber-resource
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt

from legoenv_mcp.app import Ctx, draw

from .models import Call, IncomingPhoneNumber, Message
from .phones import formatted

_A_PLACE_HAS = 12


@dataclass(frozen=True, slots=True)
class Area:
    """Numbers that start alike. `head` is what follows the calling code."""

    head: str
    locality: str | None
    region: str | None
    postal_code: str | None
    latitude: float | None
    longitude: float | None


@dataclass(frozen=True, slots=True)
class Offer:
    """A number for sale."""

    phone_number: str
    country: str
    kind: str
    area: Area
    sms: bool
    mms: bool
    address_requirements: str


def _us(text: str) -> tuple[Area, ...]:
    found = list[Area]()
    for line in text.strip().splitlines():
        head, locality, region, postal, lat, long = (part.strip() for part in line.split("|"))
        found.append(Area(head, locality, region, postal, float(lat), float(long)))
    return tuple(found)


LOCAL = {
    "US": _us("""
        201|Jersey City|NJ|07302|40.7178|-74.0431
        206|Seattle|WA|98101|47.6062|-122.3321
        207|Portland|ME|04101|43.6591|-70.2568
        212|New York|NY|10001|40.7506|-73.9971
        214|Dallas|TX|75201|32.7767|-96.7970
        215|Philadelphia|PA|19103|39.9526|-75.1652
        303|Denver|CO|80202|39.7392|-104.9903
        305|Miami|FL|33130|25.7617|-80.1918
        312|Chicago|IL|60601|41.8781|-87.6298
        313|Detroit|MI|48226|42.3314|-83.0458
        402|Omaha|NE|68102|41.2565|-95.9345
        404|Atlanta|GA|30303|33.7490|-84.3880
        408|San Jose|CA|95113|37.3382|-121.8863
        415|San Francisco|CA|94103|37.7749|-122.4194
        503|Portland|OR|97204|45.5152|-122.6784
        510|Oakland|CA|94612|37.8044|-122.2712
        512|Austin|TX|78701|30.2672|-97.7431
        562|Long Beach|CA|90802|33.7701|-118.1937
        602|Phoenix|AZ|85004|33.4484|-112.0740
        612|Minneapolis|MN|55401|44.9778|-93.2650
        614|Columbus|OH|43215|39.9612|-82.9988
        617|Boston|MA|02108|42.3601|-71.0589
        619|San Diego|CA|92101|32.7157|-117.1611
        646|New York|NY|10011|40.7420|-74.0005
        702|Las Vegas|NV|89101|36.1699|-115.1398
        713|Houston|TX|77002|29.7604|-95.3698
        901|Memphis|TN|38103|35.1495|-90.0490
        912|Savannah|GA|31401|32.0809|-81.0912
    """),
    "CA": _us("""
        416|Toronto|ON|M5H|43.6532|-79.3832
        514|Montreal|QC|H2Y|45.5017|-73.5673
        604|Vancouver|BC|V6B|49.2827|-123.1207
    """),
    "GB": _us("""
        20|London|ENG|EC2|51.5072|-0.1276
        161|Manchester|ENG|M1|53.4808|-2.2426
        121|Birmingham|ENG|B1|52.4862|-1.8904
        1539|Kendal|ENG|LA9|54.3280|-2.7463
        131|Edinburgh|SCT|EH1|55.9533|-3.1883
    """),
}  # fmt: skip
OTHERS = {
    ("US", "TollFree"): ("833", "844", "855", "866", "877", "888"), ("CA", "TollFree"): ("833", "844"), ("GB", "TollFree"): ("808",),
    ("GB", "Mobile"): ("7400", "7480"),
}  # fmt: skip
COUNTRIES = {"US": "United States", "CA": "Canada", "GB": "United Kingdom"}


def kinds_in(country: str) -> list[str]:
    return ["Local", *(kind for (where, kind) in OTHERS if where == country)]


def offers(ctx: Ctx, country: str, kind: str) -> Iterator[Offer]:
    """What is for sale, place by place: not what the account has, nor what is somebody's who called or texted."""
    taken = {n.phone_number for n in ctx.db.find(IncomingPhoneNumber)}
    for table in (Message, Call):
        name = table.shape().table
        taken |= {row["n"] for row in ctx.db.query(f'SELECT "to" AS n FROM "{name}" UNION SELECT sender FROM "{name}"')}
    areas = LOCAL.get(country, ()) if kind == "Local" else [
        Area(head, None, None, None, None, None) for head in OTHERS.get((country, kind), ())
    ]  # fmt: skip
    for area in areas:
        for place in range(_A_PLACE_HAS):
            number = _number(country, area.head, place)
            if number not in taken:
                gb = country == "GB"
                yield Offer(number, country, kind, area, not gb or kind == "Mobile", not gb, "any" if gb else "none")


def _number(country: str, head: str, place: int) -> str:
    length = 10 - len(head)
    middle = "55" if country == "GB" else "555"
    digits = int.from_bytes(draw("for sale", country, head, place, size=8))
    rest = f"{digits % 10 ** (length - len(middle)):0{length - len(middle)}d}"
    if rest[:2] == "01":  # 555-01xx is nobody's
        rest = "27" + rest[2:]
    code = "44" if country == "GB" else "1"
    return f"+{code}{head}{middle}{rest}"


def find_offer(ctx: Ctx, number: str) -> Offer | None:
    for country in COUNTRIES:
        for kind in kinds_in(country):
            for offer in offers(ctx, country, kind):
                if offer.phone_number == number:
                    return offer
    return None


_KEYPAD = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "22233344455566677778889999")


def matches(number: str, pattern: str) -> bool:
    """Contains: digits and letters as on a keypad, `*` for any digit, anywhere in the number."""
    wanted = pattern.upper().translate(_KEYPAD).lstrip("+")
    digits = number[1:]
    places = (digits[start : start + len(wanted)] for start in range(len(digits) - len(wanted) + 1))
    return any(all(w in ("*", d) for w, d in zip(wanted, place, strict=True)) for place in places)


def miles(area: Area, latitude: float, longitude: float) -> float | None:
    if area.latitude is None or area.longitude is None:
        return None
    a, b = radians(area.latitude), radians(latitude)
    h = sin((b - a) / 2) ** 2 + cos(a) * cos(b) * sin(radians(longitude - area.longitude) / 2) ** 2
    return 3958.8 * 2 * asin(sqrt(min(1.0, h)))


def show_offer(ctx: Ctx, offer: Offer) -> dict[str, object]:
    area, national = offer.area, offer.country in ("US", "CA")
    return {
        "friendly_name": formatted(offer.phone_number), "phone_number": offer.phone_number, "lata": None,
        "locality": area.locality, "rate_center": (area.locality or "").upper()[:10].replace(" ", "") or None if national else None,
        "latitude": None if area.latitude is None else f"{area.latitude:.6f}",
        "longitude": None if area.longitude is None else f"{area.longitude:.6f}", "region": area.region,
        "postal_code": area.postal_code, "iso_country": offer.country, "address_requirements": offer.address_requirements,
        "beta": False, "capabilities": {"voice": True, "SMS": offer.sms, "MMS": offer.mms, "fax": False},
    }  # fmt: skip
