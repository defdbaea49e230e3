"""Emoji that go by several names, of which Slack keeps the first. https://slack.com/help/articles/202931348-Use-emoji-and-reactions"""

_ALIASES = {
    "thumbsup": "+1",
    "thumbsdown": "-1",
    "poop": "hankey",
    "shit": "hankey",
    "punch": "facepunch",
    "raised_hand": "hand",
    "satisfied": "laughing",
    "collision": "boom",
    "envelope": "email",
    "telephone": "phone",
    "pencil": "memo",
    "heavy_exclamation_mark": "exclamation",
    "red_car": "car",
    "sailboat": "boat",
    "open_book": "book",
    "running": "runner",
    "honeybee": "bee",
    "flipper": "dolphin",
    "waxing_gibbous_moon": "moon",
    "sign_of_the_horns": "the_horns",
    "grinning_face_with_star_eyes": "star-struck",
    "middle_finger": "reversed_hand_with_middle_finger_extended",
}


def canonical(name: str) -> str:
    """The name Slack keeps of an emoji, with its skin tone."""
    plain, tone, rest = name.partition("::")
    return _ALIASES.get(plain, plain) + tone + rest
