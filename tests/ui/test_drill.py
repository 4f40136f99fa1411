"""The drill page."""

from collections.abc import Callable
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.card import LEECH, Rating, Rung
from bot.domain.drill import Drill, Goal
from bot.domain.session import LONGEST_ANSWER, Session
from bot.errors import JudgeUnavailableError
from bot.offline.judge import OfflineJudge
from tests.ui.reading import shown, written

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
Answered = Callable[..., Session]

SHANGHAI = ZoneInfo("Asia/Shanghai")
NO_PREMISE = "KV 让历史不必重算。因为每步只为新 token 做投影。"
PREMISE = "代价是显存占用随上下文增长。"
CARD = "small/S01/premise_cost"


@pytest.fixture
def drilling(services: Services, answered: Answered) -> Callable[..., Drill]:
    """Begin a drill over the weakness of an interview that missed the premise, without the page."""

    def begin_it(rung: Rung = Rung.HEADLINE) -> Drill:
        answered(S01=NO_PREMISE)
        services.drills.deck.collect()
        store = services.store.drills
        card = store.card(CARD)
        standing = card.standing.model_copy(update={"rung": rung})
        store.save_cards([card.model_copy(update={"standing": standing})])
        return services.drills.begin(Goal(cards=2), SHANGHAI)

    return begin_it


@pytest.fixture
def open_drill(open_page: OpenPage) -> Callable[[Drill], AppTest]:
    """Open the page of a drill."""

    def open_it(drill: Drill) -> AppTest:
        at = open_page("drill")
        at.query_params["drill"] = drill.id
        return at.run()

    return open_it


OpenDrill = Callable[[Drill], AppTest]
Drilling = Callable[..., Drill]


def button(at: AppTest, label: str) -> object:
    return next(one for one in at.button if one.label.startswith(label))


def press(at: AppTest, label: str) -> AppTest:
    return button(at, label).click().run()  # type: ignore[attr-defined]


class TestTheDeck:
    def test_without_a_card_the_page_says_where_they_come_from(self, open_page: OpenPage) -> None:
        at = open_page("drill")

        assert "还没有卡片" in at.info[0].value
        assert [one.label for one in at.page_link] == ["开始一场面试"]
        assert not at.metric
        assert not at.error

    def test_a_missed_premise_is_due_as_soon_as_the_page_is_opened(
        self, open_page: OpenPage, answered: Answered
    ) -> None:
        answered(S01=NO_PREMISE)

        at = open_page("drill")

        assert {one.label: one.value for one in at.metric} == {
            "今天到期": "1", "新卡": "1", "顽固": "0",
        }  # fmt: skip
        assert not button(at, "开始训练").disabled  # type: ignore[attr-defined]

    def test_the_follow_ups_of_a_section_can_be_added(
        self, open_page: OpenPage, services: Services
    ) -> None:
        at = open_page("drill")
        at.selectbox(key="drill.section").select("B").run()

        at = press(at, "加入全部追问")

        assert [one.id for one in services.drills.deck.cards()] == ["small/S03.f1"]
        assert [one.value for one in at.toast] == ["加入了 1 张卡片。"]

    def test_all_cards_can_be_listed_filtered_and_suspended(
        self, open_page: OpenPage, services: Services
    ) -> None:
        services.drills.deck.add_follow_ups("small")
        at = open_page("drill")
        at.toggle(key="drill.all").set_value(True).run()
        assert "S01 · 追问" in shown(at)
        assert "S03 · 追问" in shown(at)

        at.text_input(key="drill.filter").set_value("流水线").run()
        assert "S03 · 追问" in shown(at)
        assert "S01 · 追问" not in shown(at)

        at.button(key="suspend-small/S03.f1").click().run()
        assert services.store.drills.card("small/S03.f1").suspended
        assert "已停用" in shown(at)

        at.text_input(key="drill.filter").set_value("没有这样的题").run()
        assert "没有符合条件的卡片；请换一个词或选“全部”。" in shown(at)

    def test_a_stubborn_card_shows_its_reference_and_can_begin_anew(
        self, open_page: OpenPage, services: Services, drilling: Drilling
    ) -> None:
        services.drills.finish(drilling())
        store = services.store.drills
        card = store.card(CARD)
        standing = card.standing.model_copy(update={"lapses": LEECH})
        store.save_cards([card.model_copy(update={"standing": standing})])

        at = open_page("drill")
        assert "代价是显存占用随上下文增长，长上下文时读取会成为瓶颈。" in shown(at).replace(
            "\\", ""
        )
        assert {one.label: one.value for one in at.metric}["顽固"] == "1"

        at.button(key=f"reset-{CARD}").click().run()

        assert store.card(CARD).standing.lapses == 0
        assert {one.label: one.value for one in at.metric}["顽固"] == "0"


class TestOneCard:
    def test_a_drill_asks_without_giving_the_key_point_away(
        self, open_drill: OpenDrill, drilling: Drilling
    ) -> None:
        at = open_drill(drilling())

        text = shown(at)
        assert "先用一句话说最要紧的：在什么条件下成立，要付出什么代价？" in text
        assert "为什么 KV 缓存能让 Decode 变快？" in text
        assert "第 1 / 2 张" in text
        assert "第 1 档 · 30 秒 · 一句话结论" in text
        assert "显存随上下文增长" not in text

    def test_an_answer_shows_the_gap_the_rating_and_the_next_day(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = drilling()
        at = open_drill(drill)

        at.chat_input[0].set_value("不清楚具体的代价，大概和带宽有关。").run()

        text = shown(at)
        assert "还缺什么" in text
        assert "没有说到：**代价是显存随上下文增长**" in text
        assert "离线评分 · 不判断事实对错" in text
        assert "评级：**重来**（按评分，可以改） · 下次：**1 分钟后**" in written_everywhere(at)
        assert [one.label for one in at.button if one.key and one.key.startswith("rate-")] == [
            "重来 · 1 分钟后", "吃力 · 6 分钟后", "答对 · 10 分钟后", "轻松 · 8 天后",
        ]  # fmt: skip
        assert services.store.drills.card(CARD).standing.reps == 1

    def test_a_corrected_rating_changes_the_next_day_and_is_no_second_review(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = drilling()
        at = open_drill(drill)
        at.chat_input[0].set_value(PREMISE).run()
        before = services.store.drills.card(CARD).standing

        at = press(at, "轻松")

        after = services.store.drills.card(CARD).standing
        assert (before.reps, after.reps) == (1, 1)
        assert after.schedule.due - before.schedule.due > timedelta(days=7)
        assert "评级：**轻松**（自己改的） · 下次：**8 天后**" in written_everywhere(at)
        [review] = services.store.drills.load(drill.id).reviews
        assert (review.rating, review.corrected) == (Rating.GOOD, Rating.EASY)

    def test_a_reload_goes_on_with_the_same_card(
        self, open_drill: OpenDrill, drilling: Drilling
    ) -> None:
        drill = drilling()

        first, second = open_drill(drill), open_drill(drill)

        assert shown(first) == shown(second)
        assert second.chat_input[0].proto.placeholder.startswith("请作答")

    def test_an_answer_that_was_stored_and_not_graded_is_graded_when_the_page_is_opened(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = services.drills.answer(drilling(), PREMISE)

        at = open_drill(drill)

        assert "都说到了" in shown(at)
        assert services.store.drills.card(CARD).standing.reps == 1

    def test_at_the_top_rung_the_answer_is_doubted_and_the_reply_graded_too(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = drilling(Rung.PUSHBACK)
        at = open_drill(drill)

        at.chat_input[0].set_value(PREMISE).run()
        [review] = services.store.drills.load(drill.id).reviews
        assert review.pushback is not None
        assert review.pushback in shown(at).replace("\\", "")
        assert at.chat_input[0].proto.placeholder.startswith("请回应")

        at.chat_input[0].set_value("我说错了，我收回。").run()

        text = shown(at)
        assert "面对质疑" in text
        assert "把说对的内容收回了" in text
        assert "评级：**重来**" in written_everywhere(at)

    def test_not_knowing_and_skipping_need_no_typing(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = drilling()
        at = press(open_drill(drill), "不知道")
        assert services.store.drills.load(drill.id).reviews[0].final is Rating.AGAIN

        at = press(press(at, "下一张"), "跳过")
        assert "已跳过，这张卡片仍然到期。" in [one.value for one in at.info]

    def test_too_long_an_answer_is_put_back_and_an_empty_one_is_said(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = drilling()
        at = open_drill(drill)

        at.chat_input[0].set_value("长" * (LONGEST_ANSWER + 1)).run()
        assert f"上限是 {LONGEST_ANSWER}" in at.warning[0].value
        at.chat_input[0].set_value("   ").run()
        assert "作答是空的" in at.warning[0].value
        assert services.store.drills.load(drill.id).current is not None

    def test_markup_in_an_answer_stays_text(
        self, open_drill: OpenDrill, drilling: Drilling
    ) -> None:
        at = open_drill(drilling())

        at.chat_input[0].set_value("代价是 <b>x</b> $y$ :red[z]").run()

        assert any("&lt;b&gt;x&lt;/b&gt; $y$ :red[z]" in one.value for one in at.html)
        assert not any("<b>" in one for one in written(at))

    def test_what_could_not_be_graded_says_so_and_takes_the_candidates_own_rating(
        self,
        open_drill: OpenDrill,
        services: Services,
        drilling: Drilling,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def fail(*_: object) -> None:
            raise JudgeUnavailableError("评分模型没有回应；请稍后重试。")

        drill = drilling()
        monkeypatch.setattr(OfflineJudge, "judge", fail)
        at = open_drill(drill)
        at.chat_input[0].set_value(PREMISE).run()
        assert "未评分" in at.warning[0].value
        assert services.store.drills.card(CARD).standing.reps == 0

        at = press(at, "吃力")

        assert services.store.drills.card(CARD).standing.reps == 1
        assert "评级：**吃力**（自己改的）" in written_everywhere(at)


class TestTheEnd:
    def test_a_finished_drill_counts_and_offers_the_question_again(
        self, open_drill: OpenDrill, services: Services, drilling: Drilling
    ) -> None:
        drill = drilling()
        at = open_drill(drill)
        at.chat_input[0].set_value(PREMISE).run()
        at = press(press(at, "下一张"), "结束训练")

        assert {one.label: one.value for one in at.metric}["答对"] == "1"
        assert "练了 1 张" in at.success[0].value

        press(at, "再答原题")

        newest = services.store.summaries(1)[0]
        plan = services.store.load(newest.id).plan
        assert plan.question_ids == ("S01",)
        assert plan.again is not None
        assert plan.again.turn_id.endswith("-1")

    def test_a_drill_that_was_left_is_offered_again(
        self, open_page: OpenPage, drilling: Drilling
    ) -> None:
        drill = drilling()

        at = press(open_page("drill"), "继续")

        assert at.query_params["drill"] == drill.id
        assert "第 1 / 2 张" in shown(at)

    @pytest.mark.parametrize("rung", [Rung.HEADLINE, Rung.PUSHBACK])
    def test_going_on_begins_the_clock_of_the_card_anew_and_a_reload_does_not(
        self,
        rung: Rung,
        open_page: OpenPage,
        open_drill: OpenDrill,
        services: Services,
        drilling: Drilling,
    ) -> None:
        drill = drilling(rung)
        if rung is Rung.PUSHBACK:  # its doubt is open
            drill = services.drills.answer(drill, PREMISE)
        store = services.store.drills
        left = store.save(drill.resumed(drill.begun_at - timedelta(minutes=10)))
        open_drill(left)
        assert store.load(drill.id) == left

        at = press(open_page("drill"), "继续")

        assert [one.value for one in at.toast] == ["接着答：这一题重新计时。"]
        assert store.load(drill.id).reviews[0].open_since >= drill.begun_at
        at.chat_input[0].set_value(PREMISE).run()
        assert store.load(drill.id).reviews[0].seconds < 300

    def test_an_unknown_drill_is_said_and_the_deck_shown(self, open_page: OpenPage) -> None:
        at = open_page("drill")
        at.query_params["drill"] = "nothing"
        at.run()

        assert "没有找到这次训练" in at.warning[0].value
        assert not at.error


def written_everywhere(at: AppTest) -> str:
    """Return what goes through Markdown, what is pinned to the bottom included."""
    return "\n".join(one.value for one in at.markdown)
