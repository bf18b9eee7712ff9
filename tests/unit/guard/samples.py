"""Examples of the table of secrets, filled with letters and digits drawn at random: no scanner finds one in it."""

import random
import re
import string
from dataclasses import dataclass

_LETTERS = {
    "a": string.ascii_letters + string.digits,
    "M": string.ascii_letters,
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "d": string.digits,
    "x": string.digits + "abcdef",
    "w": string.ascii_letters + string.digits + "_-",
    "b": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "B": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "S": string.ascii_uppercase + "234567",
    "h": string.ascii_letters + string.digits + "./",
}
_SHORT = 16
_PLACE = re.compile(r"\{([aMlUdxwbBSh])(\d+)\}|\{s(\d+)\}|\{nil\}")


@dataclass(frozen=True, slots=True)
class Sample:
    """An example with its secret put in: `text[start:end]`, where it holds one."""

    text: str
    start: int = 0
    end: int = 0


def sample(pattern: str, seed: int = 0) -> Sample:
    """An example of the table, filled; the same for the same seed."""
    chance = random.Random(f"{seed} {pattern}")
    text = _PLACE.sub(lambda place: _drawn(place, chance), pattern)
    start = text.find("«")
    return Sample(text) if start < 0 else Sample(text.replace("«", "").replace("»", ""), start, text.find("»") - 1)


def _drawn(place: re.Match[str], chance: random.Random) -> str:
    if place[3]:
        return " ".join("".join(chance.choices(string.ascii_lowercase, k=5)) for _ in range(int(place[3])))
    if not place[1]:
        return ""
    letters, count = _LETTERS[place[1]], int(place[2])
    drawn = chance.choices(letters, k=count)
    if place[1] in "alxwhU" and 4 < count <= _SHORT:
        # A password without a digit is a word.
        drawn[count // 2] = chance.choice(string.digits)
    # A dash or a dot at an end would be read as a mark of the sentence.
    drawn[-1] = chance.choice([letter for letter in letters if letter.isalnum()])
    return "".join(drawn)
