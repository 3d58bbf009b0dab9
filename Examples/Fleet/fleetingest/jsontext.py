"""A message's text as a JSON object that PostgreSQL takes, and its members with their types; or why not."""

import json
import re

# More values are none of ours, and would take too much memory.
NAME, LENGTH, VALUES, DEPTH = 255, 9 << 20, 1 << 20, 200
DIGITS = re.compile(r"(?<!\d)\d{1000}")
# Exponents that are out of range, by their first letter: a search for a letter is fast.
EXPONENT, CAPITAL_EXPONENT = re.compile(r"e[+-]?\d{3,}\s*[,}\]]"), re.compile(r"E[+-]?\d{3,}\s*[,}\]]")
NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")

# Why a message is set aside: the words of the table `set_aside`, and of the figures.
REASONS = {
    "notUTF8": "It is no text.",
    "notJSON": "It is no JSON object, or it is empty.",
    "notZstd": "It begins like a frame of zstd, and is none.",
    "tooDeep": "Its lists and objects are nested too deeply.",
    "tooLarge": "It is larger than any message of a bridge.",
    "text": "A text in it cannot be stored: it has a NUL, or half a character.",
    "number": "A number in it is out of range.",
    "type": "A member has another type than documented.",
    "unnamed": "It has no valid epoch or number, or its topic no valid name.",
    "range": "A range of numbers is the wrong way round, or enormous.",
    "holes": "Its stream has more holes than are kept account of.",
    "streams": "Its host has begun too many streams today.",
    "database": "The database refused it.",
    "fault": "This program failed on it, which is a fault to report.",
}


class Refusal(Exception):
    """A reason, and what exactly."""

    def __init__(self, reason, detail):
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


def constant(word):
    raise Refusal("number", f"{word} is no number")


def finite(word):
    value = float(word)
    if value in (float("inf"), float("-inf")) or len(word) > 1_000 or (value == 0 and re.search("[1-9].*[eE]", word)):
        raise Refusal("number", f"{word[:40]} is out of range")
    return value


PLAIN = json.JSONDecoder(parse_constant=constant)
CAREFUL = json.JSONDecoder(parse_constant=constant, parse_float=finite)


def is_suspect(text):
    """Whether it has what PostgreSQL may refuse, escapes, exponents or more than 16,000 digits, so that it is looked at more closely.

    Whatever PostgreSQL itself refuses costs a group's division, and so all hosts.
    """
    return ("\\u" in text or EXPONENT.search(text) or ("E" in text and CAPITAL_EXPONENT.search(text))
            or (len(text) > 16_000 and DIGITS.search(text)))


def is_deep(value):
    """Python's own limit differs by version, and PostgreSQL has one of its own."""
    level = [value]
    for _ in range(DEPTH):
        level = [inner for outer in level for inner in (outer.values() if type(outer) is dict else outer) if type(inner) in (dict, list)]
        if not level:
            return False
    return True


def parse(text):
    if len(text) > LENGTH or (len(text) > VALUES and text.count(",") > VALUES):
        raise Refusal("tooLarge", f"{len(text)} characters")
    try:
        if not is_suspect(text):
            value = PLAIN.decode(text)
        else:
            value = CAREFUL.decode(text)
            if NUL.search(text):
                raise Refusal("text", "a text has a NUL")
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refusal("text", "a text has half a character (a lone surrogate)") from None
    except RecursionError:
        raise Refusal("tooDeep", "nested too deeply") from None
    except ValueError as error:
        raise Refusal("notJSON", str(error)[:200]) from None
    if type(value) is not dict:
        raise Refusal("notJSON", f"a {type(value).__name__} instead of an object")
    if text.count("[") + text.count("{") > DEPTH and is_deep(value):
        raise Refusal("tooDeep", "nested too deeply")
    return value


def member(message, name, kind, default=None):
    """An optional member of a type."""
    value = message.get(name, default)
    if value is not default and type(value) is not kind:
        raise Refusal("type", f"'{name}' is a {type(value).__name__}")
    return value


def integer(message, name, bounds, reason="number"):
    value = message.get(name)
    if type(value) is not int or value not in bounds:
        raise Refusal(reason, f"'{name}' is {str(value)[:40]}")
    return value


def name(value, what, size=NAME):
    try:
        if type(value) is str and 0 < len(value.encode()) <= size and "\0" not in value:
            return value
    except UnicodeEncodeError:
        pass
    raise Refusal("unnamed", f"{what} is {str(value)[:40]!r}")
