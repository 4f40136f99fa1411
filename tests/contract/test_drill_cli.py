"""The command `mockbot drill`."""

from __future__ import annotations

from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.bootstrap import Services
from bot.cli.main import app
from bot.domain.card import Rating, Rung
from bot.domain.drill import Goal
from bot.offline.judge import OfflineJudge
from bot.settings import read_settings

pytestmark = pytest.mark.contract

NO_PREMISE = "KV 让历史不必重算。因为每步只为新 token 做投影。"
PREMISE = "代价是显存占用随上下文增长。"
CARD = "small/S01/premise_cost"


def run(*words: str, stdin: str = "") -> tuple[int, str]:
    """Run the command in this process; return its exit code and all that it said."""
    found = CliRunner().invoke(app, ["drill", *words], input=stdin)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.exit_code, "".join(found.output.split())


@pytest.fixture
def services(product: Path) -> Services:
    """The product over the data folder that the command uses."""
    return Services(read_settings())


@pytest.fixture
def weak(services: Services) -> Services:
    """The same, after an interview that missed the premise."""
    interviews = services.interviews
    session = interviews.begin_with(("S01",), follow_ups=0)
    interviews.finish(interviews.grade_waiting(interviews.answer(session, NO_PREMISE)))
    return services


def test_a_weakness_is_asked_graded_and_rescheduled(weak: Services) -> None:
    code, said = run("--cards", "1", stdin=f"{PREMISE}\n\n\n")

    assert code == 0
    assert "到期1张·新卡1张·顽固0张" in said
    assert "在什么条件下成立，要付出什么代价？" in said
    assert "✓说到：代价是显存随上下文增长" in said
    assert "离线评分·不判断事实对错" in said
    assert "评级：答对·下次：10分钟后" in said
    assert "练了1张（重来0，吃力0，答对1，轻松0）" in said
    assert weak.store.drills.card(CARD).standing.reps == 1


def test_a_rating_can_be_corrected_and_counts_once(weak: Services) -> None:
    _, said = run("--cards", "1", stdin=f"{PREMISE}\n\n1\n4\n\n")

    assert "评级：重来·下次：1分钟后" in said
    assert "评级：轻松·下次：8天后" in said
    assert weak.store.drills.card(CARD).standing.reps == 1


def test_a_drill_that_was_left_after_an_answer_goes_on_with_its_gap(weak: Services) -> None:
    code, said = run(stdin=f"{PREMISE}\n\n")
    assert code == 0
    assert "已保存。继续：mockbotdrill" in said
    drill = weak.store.drills.open_drill()
    assert drill is not None
    assert drill.reviews[0].text == PREMISE

    code, said = run(stdin="/结束\n")

    assert "✓说到：代价是显存随上下文增长" in said
    assert weak.store.drills.open_drill() is None
    assert weak.store.drills.card(CARD).standing.reps == 1


def test_leaving_in_the_middle_of_an_answer_keeps_the_card_open(weak: Services) -> None:
    run(stdin=PREMISE)

    drill = weak.store.drills.open_drill()
    assert drill is not None
    assert drill.current is not None


def test_at_the_top_rung_the_answer_is_doubted(weak: Services) -> None:
    weak.drills.deck.collect()
    card = weak.store.drills.card(CARD)
    standing = card.standing.model_copy(update={"rung": Rung.PUSHBACK})
    weak.store.drills.save_cards([card.model_copy(update={"standing": standing})])

    _, said = run("--cards", "1", stdin=f"{PREMISE}\n\n任何情况下都这样，没有代价。\n\n\n")

    assert "第3档·90秒·顶住追问" in said
    assert "✗被逼成了绝对化断言" in said
    assert weak.store.drills.card(CARD).standing.rung is Rung.PUSHBACK


def test_a_card_can_be_skipped_or_not_known_and_the_drill_ended(weak: Services) -> None:
    code, said = run("--minutes", "5", stdin="/跳过\n/不知道\n\n")

    assert code == 0
    assert "练了1张（重来1，" in said
    assert weak.store.drills.card(CARD).standing.reps == 0


def test_follow_ups_of_the_bank_can_be_added_and_practised(services: Services) -> None:
    code, said = run("--add", "A", "--cards", "1", stdin="/结束\n")

    assert code == 0
    assert "加入了3张卡片。" in said
    assert "新卡3张" in said
    assert "练了0张" in said
    assert len(services.drills.deck.cards()) == 3


def test_without_a_card_the_command_says_what_to_do(product: Path) -> None:
    code, said = run()

    assert code == 0
    assert "现在没有要练的卡片；做一场面试，或加入题库的追问。" in said


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--cards", "3", "--minutes", "5"], "只能给一个"),
        (["--add", "Z"], "没有章节'Z'"),
        (["--cards", "0"], "--cards"),
    ],
)
def test_what_cannot_be_run_is_refused(product: Path, words: list[str], part: str) -> None:
    code, said = run(*words)

    assert code == 2
    assert part in said


@pytest.mark.parametrize(
    "stdin",
    [
        pytest.param("", id="at once"),
        pytest.param(PREMISE, id="in the middle of an answer"),
        pytest.param(f"{PREMISE}\n\n", id="after an answer"),
        pytest.param("/结束\n", id="by its command"),
    ],
)
def test_a_drill_with_a_goal_ends_when_it_is_left_and_the_one_of_the_page_stays(
    weak: Services, stdin: str
) -> None:
    weak.drills.deck.collect()
    drill = weak.drills.begin(Goal(cards=10), UTC)

    code, said = run("--cards", "1", stdin=stdin)

    assert code == 0
    assert "练了" in said
    assert "已保存" not in said
    assert weak.store.drills.open_drill() == drill


def test_a_drill_with_a_goal_that_is_left_after_an_answer_counts_it(weak: Services) -> None:
    _, said = run("--cards", "3", stdin=f"{PREMISE}\n\n")

    assert "练了1张" in said
    assert weak.store.drills.card(CARD).standing.reps == 1
    assert weak.store.drills.open_drill() is None


def test_a_key_that_interrupts_the_grading_ends_the_drill_and_loses_no_answer(
    weak: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, calls = OfflineJudge.judge, iter([KeyboardInterrupt])

    def interrupted(*args: Any, **named: Any) -> Any:
        for interrupt in calls:
            raise interrupt
        return judge(*args, **named)

    monkeypatch.setattr(OfflineJudge, "judge", interrupted)

    code, said = run("--cards", "1", stdin=f"{PREMISE}\n\n\n")

    assert code == 0
    assert "练了1张" in said
    assert weak.store.drills.open_drill() is None


def test_going_on_begins_the_clock_of_the_card_anew(weak: Services) -> None:
    weak.drills.deck.collect()
    drill = weak.drills.begin(Goal(cards=1), UTC)
    weak.store.drills.save(drill.resumed(drill.begun_at - timedelta(minutes=10)))

    _, said = run(stdin=f"{PREMISE}\n\n\n")

    assert "接着答：这一题重新计时。" in said
    assert weak.store.drills.load(drill.id).reviews[0].seconds < 300


def test_a_drill_begun_on_the_page_goes_on_in_the_terminal(weak: Services) -> None:
    weak.drills.deck.collect()
    zone = weak.clock.now().tzinfo
    assert zone is not None
    drill = weak.drills.begin(Goal(cards=1), zone)

    run(stdin=f"{PREMISE}\n\n\n")

    done = weak.store.drills.load(drill.id)
    assert done.is_finished
    assert [one.final for one in done.reviews] == [Rating.GOOD]
