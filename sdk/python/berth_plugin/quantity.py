# SPDX-License-Identifier: Apache-2.0
"""Amounts of resources as Kubernetes writes them: "500m", "16Gi", "4"."""
import math
import re
from fractions import Fraction

_MULTIPLES = {"": Fraction(1), "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000)}
_MULTIPLES.update({name: Fraction(1000 ** (i + 1)) for i, name in enumerate("kMGTPE")})
_MULTIPLES.update({name + "i": Fraction(1024 ** (i + 1)) for i, name in enumerate("KMGTPE")})
_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3})|([a-zA-Z]*))")


def quantity(text):
    """The amount as a Fraction, which compares and divides as numbers do."""
    match = _FORM.fullmatch(str(text))
    if not match or (match[3] or "") not in _MULTIPLES:
        raise ValueError(f"{text!r} is no quantity")
    return Fraction(match[1]) * Fraction(10) ** int(match[2] or 0) * _MULTIPLES[match[3] or ""]


def milli(text):
    """A thousand times the amount, rounded up to a whole number."""
    return math.ceil(quantity(text) * 1000)
