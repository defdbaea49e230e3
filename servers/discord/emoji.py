"""Unicode emoji: which text is one, and the short names that people and other products call them by."""

import re

_TABLE = """
+1 👍 -1 👎 thumbsup 👍 thumbsdown 👎 tada 🎉 eyes 👀 heart ❤️ joy 😂 clap 👏 moneybag 💰 wine_glass 🍷
heart_eyes 😍 tulip 🌷 wave 👋 white_check_mark ✅ rocket 🚀 dumpling 🥟 fire 🔥 pray 🙏 100 💯 ok_hand 👌
raised_hands 🙌 muscle 💪 thinking_face 🤔 thinking 🤔 smile 😄 smiley 😃 grin 😁 grinning 😀 laughing 😆
sweat_smile 😅 rofl 🤣 slightly_smiling_face 🙂 wink 😉 blush 😊 sunglasses 😎 sob 😭 cry 😢 scream 😱 rage 😡
angry 😠 neutral_face 😐 confused 😕 disappointed 😞 sleeping 😴 facepalm 🤦 shrug 🤷 x ❌
heavy_check_mark ✔️ warning ⚠️ no_entry ⛔ question ❓ exclamation ❗ bulb 💡 bug 🐛 memo 📝 pushpin 📌
calendar 📆 date 📅 chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊 lock 🔒
unlock 🔓 key 🔑 mag 🔍 bell 🔔 no_bell 🔕 mega 📣 loudspeaker 📢 email 📧 phone ☎️ computer 💻 package 📦
ship 🚢 truck 🚚 airplane ✈️ car 🚗 hourglass ⌛ alarm_clock ⏰ stopwatch ⏱️ star ⭐ star2 🌟 sparkles ✨
zap ⚡ sunny ☀️ cloud ☁️ umbrella ☔ snowflake ❄️ rainbow 🌈 trophy 🏆 medal 🏅 gift 🎁 balloon 🎈 cake 🍰
birthday 🎂 coffee ☕ tea 🍵 beer 🍺 beers 🍻 pizza 🍕 taco 🌮 apple 🍎 doughnut 🍩 cookie 🍪 dog 🐶 cat 🐱
unicorn 🦄 turtle 🐢 snail 🐌 octopus 🐙 whale 🐳 anchor ⚓ construction 🚧 rotating_light 🚨 red_circle 🔴
large_green_circle 🟢 large_yellow_circle 🟡 large_blue_circle 🔵 point_up ☝️ point_right 👉
point_left 👈 point_down 👇 v ✌️ crossed_fingers 🤞 handshake 🤝 writing_hand ✍️ brain 🧠 broken_heart 💔
blue_heart 💙 green_heart 💚 yellow_heart 💛 purple_heart 💜 orange_heart 🧡 sparkling_heart 💖
two_hearts 💕 see_no_evil 🙈 hear_no_evil 🙉 speak_no_evil 🙊 robot_face 🤖 partying_face 🥳
hugging_face 🤗 melting_face 🫠 saluting_face 🫡 skull 💀 ghost 👻 checkered_flag 🏁
triangular_flag_on_post 🚩 money_with_wings 💸 dollar 💵 euro 💶 pound 💷 credit_card 💳 receipt 🧾 house 🏠
office 🏢 hammer 🔨 wrench 🔧 gear ⚙️ link 🔗 paperclip 📎 scissors ✂️ wastebasket 🗑️ books 📚 book 📖
newspaper 📰 hammer_and_wrench 🛠️ clipboard 📋 file_folder 📁 heavy_plus_sign ➕ heavy_minus_sign ➖
arrow_up ⬆️ arrow_down ⬇️ recycle ♻️ ok 🆗 new 🆕 free 🆓 sos 🆘 hourglass_flowing_sand ⏳
"""
_NAMES = _TABLE.split()
_PRESENTATION = "\ufe0f"
UNICODE: dict[str, str] = dict(zip(_NAMES[::2], _NAMES[1::2], strict=True))
NAMES: dict[str, str] = {}
for _name, _sign in UNICODE.items():
    NAMES.setdefault(_sign.replace(_PRESENTATION, ""), _name)

_SIGN = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030"
    "\u303d\u3297\u3299\U0001f004-\U0001f1e5\U0001f200-\U0001faff]"
)
_TONE = "[\U0001f3fb-\U0001f3ff]"
_ONE = f"{_SIGN}\ufe0f?{_TONE}?"
_EMOJI = re.compile(
    f"(?:{_ONE}(?:\u200d{_ONE})*|[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3)[\U000e0020-\U000e007f]*"
)


def is_emoji(text: str) -> bool:
    return _EMOJI.fullmatch(text) is not None


def same(text: str) -> str:
    """An emoji as it is kept: with the variation selector where its usual form has one."""
    bare = text.replace(_PRESENTATION, "")
    return UNICODE.get(NAMES.get(bare, ""), text)


def from_name(name: str) -> str:
    """The emoji of a short name; the text itself where there is none."""
    return UNICODE.get(name.strip(":"), name)


def to_name(emoji: str) -> str:
    """The short name of an emoji; a server's own emoji is `name:id`, of which the name is told."""
    word, _, id = emoji.rpartition(":")
    return word if word and id.isdecimal() else NAMES.get(emoji.replace(_PRESENTATION, ""), emoji)
