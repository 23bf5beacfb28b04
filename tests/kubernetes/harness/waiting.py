# SPDX-License-Identifier: Apache-2.0
"""Waiting for what must happen, with a deadline."""
import time


class Timeout(AssertionError):
    """What was waited for did not happen in time."""


def wait_until(condition, what, timeout=30.0, interval=0.05):
    """Calls `condition` until it returns something true, and returns that. `what` completes "timed out waiting for"; it
    may be a function, called when the time is up. Exceptions of `condition` are not caught."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Timeout(f"timed out after {timeout:g} s waiting for {what() if callable(what) else what}")
        time.sleep(interval)


def wait_quiet(state, quiet=1.0, timeout=30.0, interval=0.1):
    """Calls `state` until its value has not changed for `quiet` seconds, and returns that value."""
    deadline = time.monotonic() + timeout
    last, since = state(), time.monotonic()
    while time.monotonic() - since < quiet:
        if time.monotonic() > deadline:
            raise Timeout(f"still changing after {timeout:g} s: {last}")
        time.sleep(interval)
        now = state()
        if now != last:
            last, since = now, time.monotonic()
    return last


def holds_for(condition, what, seconds, interval=0.1):
    """Asserts that `condition` stays true: for what must not happen, where no event marks the end."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not condition():
            raise AssertionError(f"did not hold for {seconds:g} s: {what() if callable(what) else what}")
        time.sleep(interval)
