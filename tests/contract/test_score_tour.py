"""The tour of the rubric, over the shipped bank: its answers earn what its lessons say."""

import pytest

from bot.bootstrap import Services
from bot.domain.grade import Grade
from bot.domain.target import target_of
from bot.settings import Settings
from bot.ui.components.score_tour import BANK, EXAMPLES, QUESTION

pytestmark = pytest.mark.contract


def test_precise_beats_overclaiming_and_both_beat_hollow(tmp_path):
    services = Services(Settings(_env_file=None, data_dir=tmp_path, bank=BANK))
    grader = services.commons.grader_with(services.offline_judge, services.bank)
    target = target_of(services.bank.find(QUESTION))
    grades = {one.id: grader.attempt(one.id, target, one.text) for one in EXAMPLES}
    good, over, hollow = grades["good"], grades["overclaiming"], grades["hollow"]

    assert all(isinstance(one, Grade) for one in grades.values())
    assert good.level >= 4
    assert not good.overclaims
    assert 1 <= over.level <= 2
    assert len(over.overclaims) >= 2
    points = {one.id: one.points for one in over.criteria}
    assert points["conclusion"] == 15
    assert points["reason"] == 20
    assert points["premise_cost"] == 0
    assert points["calibration"] <= 0
    assert hollow.score == 0
    assert not hollow.flags
