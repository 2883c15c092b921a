"""A fault is logged once while it lasts, and seldom if it comes and goes."""

from referee.log_limit import LogLimit


def test_a_fault_is_logged_once_while_it_lasts_and_its_end_is_logged() -> None:
    limit = LogLimit()
    assert not limit.end()
    assert [limit.may_log("silent", at) for at in (0.0, 1.0, 61.0, 700.0)] == [True, False, False, False]
    assert limit.end()
    assert not limit.end()


def test_a_fault_that_comes_back_within_ten_minutes_is_logged_again_only_once_it_lasts_a_minute() -> None:
    limit = LogLimit()
    assert limit.may_log("silent", 0.0)
    assert limit.end()
    assert [limit.may_log("silent", at) for at in (500.0, 559.0, 560.0, 561.0)] == [False, False, True, False]
    assert limit.end()


def test_a_fault_that_comes_back_after_ten_minutes_is_logged_at_once() -> None:
    limit = LogLimit()
    assert limit.may_log("silent", 0.0)
    assert limit.end()
    assert not limit.may_log("silent", 599.0)
    assert not limit.end()
    assert limit.may_log("silent", 600.0)


def test_each_of_two_faults_is_logged() -> None:
    limit = LogLimit()
    assert [limit.may_log(fault, 0.0) for fault in ("silent", "refused") * 2] == [True, True, False, False]
