"""The lexicon of the offline judge is checked when it is read, not when an answer comes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.adapters import yaml_file
from bot.errors import ConfigError
from bot.offline.settings import OfflineSettings
from tests import fakes


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"negation": "(不"}, id="pattern"),
        pytest.param({"exempt": ("绝对", "[")}, id="pattern in a list"),
        pytest.param(
            {"overclaims": ({"pattern": "*", "why": "太满"},)}, id="pattern of an overclaim"
        ),
        pytest.param(
            {"overclaims": ({"pattern": "一定", "why": ""},)}, id="overclaim without a reason"
        ),
        pytest.param({"partly_at": 1.5}, id="more than all"),
        pytest.param({"window": 0}, id="no window"),
        pytest.param({"list_items": 1}, id="list of one"),
        pytest.param({"stopwords": ()}, id="unknown key"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(changes))):
        fakes.lexicon(**changes)


def test_a_broken_pattern_is_named_by_file_line_and_field(tmp_path: Path) -> None:
    text = fakes.SHIPPED_LEXICON.read_text(encoding="utf-8")
    broken = re.sub(r"^hearsay: .*$", "hearsay: '(?:有人'", text, flags=re.MULTILINE)
    path = tmp_path / "offline.yaml"
    path.write_text(broken, encoding="utf-8")
    line = broken[: broken.index("hearsay:")].count("\n") + 1

    with pytest.raises(ConfigError, match=rf"offline\.yaml:{line}：字段 hearsay 正则表达式有误"):
        yaml_file.read(path, OfflineSettings, ConfigError)


def test_no_pattern_of_the_shipped_lexicon_matches_nothing_at_all() -> None:
    """A pattern that matches the empty text would hold everywhere."""
    lexicon = fakes.shipped_lexicon()
    patterns = [
        lexicon.negation,
        lexicon.own_negation,
        lexicon.refutation,
        lexicon.hearsay,
        lexicon.condition,
        lexicon.predicates,
        lexicon.scope_negation,
        *lexicon.exempt,
        *(one.pattern for one in lexicon.overclaims),
    ]

    assert [one for one in patterns if re.search(one, "")] == []
