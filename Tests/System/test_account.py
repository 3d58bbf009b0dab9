"""The arithmetic by which streams are judged, with timestamps in milliseconds of a stream of 200 ms."""

import pytest

from tools.account import Account

# The place of the grid: the stamps are as recorded, except their beginning.
GRID = 10_000


def steps(first, last):
    return [GRID + 200 * step for step in range(first, last)]


def gap(count, start, end, cause="restarted"):
    return {"resource": "accelerometer", "cause": cause, "count": count, "fromNanoseconds": start, "untilNanoseconds": end}


def wrong(stamps, *gaps):
    return [stretch.surplus for stretch in Account(stamps, gaps, 200).wrong]


BEFORE, AFTER = steps(0, 5), steps(10, 15)
# 5 to 9 are due in the hole.
HOLE = (GRID + 805, GRID + 2_000)


def test_a_loss_reported_once_is_accepted():
    assert wrong(BEFORE + AFTER, gap(5, *HOLE)) == []
    account = Account(BEFORE + AFTER, [gap(5, *HOLE)], 200)
    assert (account.due, account.delivered, account.told) == (15, 10, 5) and account.is_steady


@pytest.mark.parametrize("count, surplus", [(4, -1), (6, 1), (12, 7)])
def test_a_loss_reported_twice_or_never_is_detected(count, surplus):
    assert wrong(BEFORE + AFTER, gap(count, *HOLE)) == [surplus]
    assert wrong(BEFORE + AFTER) == [-5]


@pytest.mark.parametrize("ahead", [10, 100, 149, 151, 190])
def test_the_first_reading_of_a_new_client_may_come_at_once(ahead):
    """If the device is warm, that reading lies anywhere before the grid's next point, and belongs to no due time."""
    stamps = [GRID - ahead] + BEFORE + AFTER
    assert wrong(stamps, gap(5, *HOLE)) == []
    assert wrong(stamps, gap(6, *HOLE)) == [1]


@pytest.mark.parametrize("early", [60, 110, 190])
def test_a_reading_held_until_silence_serves_the_next_due_time(early):
    middle = steps(0, 5) + [GRID + 1_000 - early] + steps(6, 12)
    assert wrong(middle) == []
    last_before_the_hole = BEFORE + [GRID + 1_000 - early] + AFTER
    assert wrong(last_before_the_hole, gap(4, *HOLE)) == []
    assert wrong(last_before_the_hole, gap(5, *HOLE)) == [1]


@pytest.mark.parametrize("late", [0, 60, 110, 190])
def test_the_first_reading_after_a_hole_serves_the_last_due_time_in_it(late):
    stamps = BEFORE + [GRID + 2_000 + late] + steps(11, 15)
    told = gap(5, GRID + 805, GRID + 2_000 + late)
    assert wrong(stamps, told) == []
    assert wrong(stamps, {**told, "count": 4}) == [-1]


def test_a_hole_may_be_reported_in_two_gaps():
    assert wrong(BEFORE + AFTER, gap(1, GRID + 805, GRID + 1_000), gap(4, GRID + 1_000, GRID + 2_000)) == []
    assert wrong(BEFORE + AFTER, gap(1, GRID + 805, GRID + 1_000), gap(5, GRID + 1_000, GRID + 2_000)) == [1]


def test_a_gap_without_a_count_is_not_judged():
    assert wrong(BEFORE + AFTER, {key: value for key, value in gap(0, *HOLE).items() if key != "count"}) == []


def test_the_end_is_not_judged_until_readings_are_regular_again():
    account = Account(BEFORE + AFTER[:2], [gap(3, *HOLE)], 200)
    assert not account.is_steady and account.wrong == []
