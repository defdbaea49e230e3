"""The palette. https://developers.google.com/workspace/calendar/api/v3/reference/colors"""

UPDATED = "2012-02-14T00:00:00.000Z"
_DARK = "#1d1d1d"
_CALENDAR = (
    "#ac725e #d06b64 #f83a22 #fa573c #ff7537 #ffad46 #42d692 #16a765 #7bd148 #b3dc6c #fbe983 #fad165 #92e1c0 #9fe1e7 #9fc6e7 #4986e7 "
    "#9a9cff #b99aff #c2c2c2 #cabdbf #cca6ac #f691b2 #cd74e6 #a47ae2"
)
_EVENT = "#a4bdfc #7ae7bf #dbadff #ff887c #fbd75b #ffb878 #46d6db #e1e1e1 #5484ed #51b749 #dc2127"


def _palette(text: str) -> dict[str, dict[str, str]]:
    return {str(n): {"background": color, "foreground": _DARK} for n, color in enumerate(text.split(), 1)}


CALENDAR, EVENT = _palette(_CALENDAR), _palette(_EVENT)


def nearest(background: str) -> str:
    """The calendar colour that is closest to this one."""

    def parts(color: str) -> tuple[int, int, int]:
        return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)

    wanted = parts(background)
    return min(
        CALENDAR, key=lambda n: sum((a - b) ** 2 for a, b in zip(parts(CALENDAR[n]["background"]), wanted, strict=True))
    )
