"""Countries by their ISO codes, and the states of two of them."""

_COUNTRIES = (
    "AF Afghanistan;AL Albania;DZ Algeria;AD Andorra;AO Angola;AR Argentina;AM Armenia;AU Australia;AT Austria;AZ Azerbaijan;BS Bahamas;"
    "BH Bahrain;BD Bangladesh;BB Barbados;BY Belarus;BE Belgium;BZ Belize;BJ Benin;BT Bhutan;BO Bolivia;BA Bosnia and Herzegovina;"
    "BW Botswana;BR Brazil;BN Brunei;BG Bulgaria;BF Burkina Faso;BI Burundi;KH Cambodia;CM Cameroon;CA Canada;CV Cape Verde;"
    "CF Central African Republic;TD Chad;CL Chile;CN China;CO Colombia;KM Comoros;CG Congo;CD Congo, Democratic Republic of the;"
    "CR Costa Rica;CI Cote d'Ivoire;HR Croatia;CU Cuba;CY Cyprus;CZ Czech Republic;DK Denmark;DJ Djibouti;DM Dominica;"
    "DO Dominican Republic;EC Ecuador;EG Egypt;SV El Salvador;GQ Equatorial Guinea;ER Eritrea;EE Estonia;SZ Eswatini;ET Ethiopia;FJ Fiji;"
    "FI Finland;FR France;GA Gabon;GM Gambia;GE Georgia;DE Germany;GH Ghana;GR Greece;GD Grenada;GT Guatemala;GN Guinea;"
    "GW Guinea-Bissau;GY Guyana;HT Haiti;HN Honduras;HK Hong Kong;HU Hungary;IS Iceland;IN India;ID Indonesia;IR Iran;IQ Iraq;IE Ireland;"
    "IL Israel;IT Italy;JM Jamaica;JP Japan;JO Jordan;KZ Kazakhstan;KE Kenya;KI Kiribati;KW Kuwait;KG Kyrgyzstan;LA Laos;LV Latvia;"
    "LB Lebanon;LS Lesotho;LR Liberia;LY Libya;LI Liechtenstein;LT Lithuania;LU Luxembourg;MG Madagascar;MW Malawi;MY Malaysia;"
    "MV Maldives;ML Mali;MT Malta;MH Marshall Islands;MR Mauritania;MU Mauritius;MX Mexico;FM Micronesia;MD Moldova;MC Monaco;MN Mongolia;"
    "ME Montenegro;MA Morocco;MZ Mozambique;MM Myanmar;NA Namibia;NR Nauru;NP Nepal;NL Netherlands;NZ New Zealand;NI Nicaragua;NE Niger;"
    "NG Nigeria;KP North Korea;MK North Macedonia;NO Norway;OM Oman;PK Pakistan;PW Palau;PA Panama;PG Papua New Guinea;PY Paraguay;PE Peru;"
    "PH Philippines;PL Poland;PT Portugal;PR Puerto Rico;QA Qatar;RO Romania;RU Russia;RW Rwanda;KN Saint Kitts and Nevis;LC Saint Lucia;"
    "WS Samoa;SM San Marino;SA Saudi Arabia;SN Senegal;RS Serbia;SC Seychelles;SL Sierra Leone;SG Singapore;SK Slovakia;SI Slovenia;"
    "SB Solomon Islands;SO Somalia;ZA South Africa;KR South Korea;SS South Sudan;ES Spain;LK Sri Lanka;SD Sudan;SR Suriname;SE Sweden;"
    "CH Switzerland;SY Syria;TW Taiwan;TJ Tajikistan;TZ Tanzania;TH Thailand;TL Timor-Leste;TG Togo;TO Tonga;TT Trinidad and Tobago;"
    "TN Tunisia;TR Turkey;TM Turkmenistan;TV Tuvalu;UG Uganda;UA Ukraine;AE United Arab Emirates;GB United Kingdom;US United States;"
    "UY Uruguay;UZ Uzbekistan;VU Vanuatu;VE Venezuela;VN Vietnam;YE Yemen;ZM Zambia;ZW Zimbabwe"
)
_US = (
    "AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;DE Delaware;DC District of Columbia;FL Florida;"
    "GA Georgia;HI Hawaii;ID Idaho;IL Illinois;IN Indiana;IA Iowa;KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;"
    "MI Michigan;MN Minnesota;MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada;NH New Hampshire;NJ New Jersey;NM New Mexico;"
    "NY New York;NC North Carolina;ND North Dakota;OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;RI Rhode Island;SC South Carolina;"
    "SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont;VA Virginia;WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming"
)
_CA = (
    "AB Alberta;BC British Columbia;MB Manitoba;NB New Brunswick;NL Newfoundland and Labrador;NS Nova Scotia;NT Northwest Territories;"
    "NU Nunavut;ON Ontario;PE Prince Edward Island;QC Quebec;SK Saskatchewan;YT Yukon"
)


def _read(listed: str) -> dict[str, str]:
    return {one[:2]: one[3:] for one in listed.split(";")}


COUNTRIES: dict[str, str] = _read(_COUNTRIES)
STATES: dict[str, dict[str, str]] = {"US": _read(_US), "CA": _read(_CA)}
_BY_NAME = {name.lower(): name for name in COUNTRIES.values()} | {
    "usa": "United States", "united states of america": "United States", "uk": "United Kingdom", "great britain": "United Kingdom",
    "england": "United Kingdom", "the netherlands": "Netherlands",
}  # fmt: skip
_STATE_BY_NAME = {name.lower(): code for states in STATES.values() for code, name in states.items()}


def country_name(said: str) -> str | None:
    """The full name of a country by its name or code."""
    return COUNTRIES.get(said.upper()) or _BY_NAME.get(said.lower())


def country_code(name: str | None) -> str:
    return next((code for code, known in COUNTRIES.items() if known == name), "")


def state_code(said: str) -> str:
    """A state's abbreviation where it is one of ours; otherwise what was said."""
    return _STATE_BY_NAME.get(said.lower(), said)
