"""Questions, answers, and the feedback between them."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bot.bootstrap import Services
from bot.domain.session import LONGEST_ANSWER, AnswerKind, FeedbackMode, Session
from tests.ui.reading import shown, written

pytestmark = pytest.mark.ui

OpenPage = Callable[..., AppTest]
Begin = Callable[..., Session]

COMPLETE = "KV 让历史不必重算。因为每步只为新 token 做投影。代价是显存占用随上下文增长。"
MARKUP = [
    pytest.param("价格 $5 与 $6，公式 $$x^2$$", id="latex"),
    pytest.param("<script>alert(1)</script><b>粗</b><img src=x onerror=alert(1)>", id="html"),
    pytest.param("**粗** `code` # 标题 [链接](http://example.com) ![图](http://x)", id="markdown"),
    pytest.param(":red[红] :material/home: :smile: :blue-badge[章]", id="directives"),
    pytest.param("a -> b <- c，https://example.com/x 和 www.example.com", id="signs and addresses"),
    pytest.param("    四格缩进\n\n\n--enable-chunked-prefill\n", id="white space"),
    pytest.param("</div></mark><style>*{display:none}</style>&lt;b&gt;", id="closing tags"),
]


def send(at: AppTest, text: str) -> AppTest:
    return at.chat_input[0].set_value(text).run()


def as_html(text: str) -> str:
    """Escape by hand, so that the test does not trust what it tests."""
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, name)
    return text.replace("'", "&#x27;")


REFERENCE = "KV 缓存让历史 token 的键和值不必重算。"
"""The first words of the reference of S01, to be read when its box is opened."""


def test_an_answer_is_followed_by_its_feedback_card(open_page: OpenPage, begin: Begin):
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    send(at, COMPLETE)

    text = shown(at)
    assert "反馈：100 分 · 5 级" in text
    assert "离线评分 · 不判断事实对错" in text
    assert "采分点**（说到 3 / 3）" in text
    assert REFERENCE not in text
    at.session_state[f"reference-box-{session.id}-1"] = True
    assert REFERENCE in shown(at.run())
    assert [one.value for one in at.progress] == [100] * 5
    assert "第 2 / 2 题" in text
    assert "绝对化断言" not in text


def test_evidence_is_marked_in_the_answer_and_can_be_seen_by_criterion(
    open_page: OpenPage, begin: Begin
):
    at = open_page(session=begin("S01", "S02").id)
    send(at, COMPLETE)
    card = at.main.html[-1].value

    assert card.count("<mark") == 3
    assert "前提/代价" in card

    at.segmented_control[0].set_value("原因").run()

    assert at.main.html[-1].value.count("<mark") == 1
    assert "<mark" in at.main.html[-1].value.split("因为")[0]
    assert "采分点" not in at.main.html[-1].value


def test_a_hollow_answer_is_told_why_it_earns_nothing(open_page: OpenPage, begin: Begin):
    at = open_page(session=begin("S01", "S02").id)

    send(at, "结论：这样做比较好。原因：因为机制如此。代价：有一些取舍。")

    assert "一个采分点也没说到：标签和套话不得分" in shown(at)


def test_an_overclaim_is_shown_with_a_conditional_rewrite(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    send(at, "KV 让历史不必重算，任何模型都能更快，没有任何副作用。")

    assert "绝对化断言" in shown(at)
    assert "任何模型都能更快" in at.main.html[-1].value
    grade = services.store.load(session.id).turns[0].grade
    assert grade is not None
    assert grade.overclaims
    assert all(
        f"改写：{as_html(one.rewrite)}" in at.main.html[-1].value for one in grade.overclaims
    )
    assert "反馈：100 分" not in shown(at)


def test_a_known_misconception_is_shown_as_an_error(open_page: OpenPage, begin: Begin):
    at = open_page(session=begin("S03", "S01").id)

    send(at, "卡数加倍，时间就减半，因为没有通信。")

    assert "事实错误" in shown(at)
    assert "通信不会随卡数减少。" in at.main.html[-1].value
    assert "说反了：不一定减半" in shown(at)


def test_a_follow_up_aims_at_what_the_answer_lacks(open_page: OpenPage, begin: Begin):
    at = open_page(session=begin("S01", follow_ups=1).id)

    send(at, "KV 让历史不必重算。代价是显存占用随上下文增长。")

    assert "为什么不把查询向量也缓存起来？" in shown(at)
    assert "瓶颈会移到哪里" not in shown(at)

    send(at, "查询只在当前这一步使用。")

    assert "面试结束" in shown(at)


def test_no_follow_up_is_asked_when_none_is_wanted(open_page: OpenPage, begin: Begin):
    at = open_page(session=begin("S01", "S02", follow_ups=0).id)

    send(at, "不必重算。")

    assert "第 2/2 题" in shown(at)
    assert "追问" not in shown(at)


def test_follow_ups_are_never_repeated(open_page: OpenPage, begin: Begin, services: Services):
    session = begin("S01", follow_ups=3)
    at = open_page(session=session.id)

    while at.chat_input:
        send(at, "不必重算。")

    asked = [turn.follow_up_id for turn in services.store.load(session.id).turns]
    assert sorted(filter(None, asked)) == ["f1", "f2"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\t　", id="white space"),
        pytest.param("\u200b\u200d\ufeff\u2060", id="zero width"),
    ],
)
def test_an_answer_without_a_visible_character_is_not_taken(
    text: str, open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01")
    at = open_page(session=session.id)

    send(at, text)

    assert [one.value for one in at.warning] == ["作答是空的；想跳过请用“跳过”或“不知道”。"]
    assert services.store.load(session.id) == session
    assert at.chat_input[0].key == f"answer-{session.id}-1"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("历史不必重算👩🏽‍💻，只为新\u200b token 做投影", id="emoji and zero width"),
        pytest.param("👍🏿🇨🇳", id="emoji alone"),
        pytest.param("不必重算\u202e算重必不\u202c\x01", id="direction and control"),
    ],
)
def test_strange_characters_are_kept_as_they_were_typed(
    text: str, open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01")
    at = open_page(session=session.id)

    send(at, text)

    answer = services.store.load(session.id).turns[0].answer
    assert answer is not None
    assert answer.text == text
    assert not at.error


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_an_answer_stays_text(
    text: str, open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    send(at, text)

    bubble, card = (one.value for one in at.main.html)
    assert as_html(text) in bubble
    assert as_html(text) in card
    assert not any(text.strip() in said for said in written(at))
    answer = services.store.load(session.id).turns[0].answer
    assert answer is not None
    assert answer.text == text


def test_markup_in_an_overclaim_stays_text(open_page: OpenPage, begin: Begin):
    at = open_page(session=begin("S01", "S02").id)

    send(at, "不必重算，<b>任何模型</b> -> $x$ 都能更快。")

    listed = at.main.html[-1].value
    assert "&lt;b&gt;任何模型&lt;/b&gt; -&gt; $x$ 都能更快" in listed
    assert not any("任何模型" in said for said in written(at))


def test_the_longest_answer_is_taken(open_page: OpenPage, begin: Begin, services: Services):
    session = begin("S01")
    text = "长" * LONGEST_ANSWER

    at = send(open_page(session=session.id), text)

    answer = services.store.load(session.id).turns[0].answer
    assert answer is not None
    assert answer.text == text
    assert not at.warning


def test_a_longer_answer_goes_back_into_the_input(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01")
    text = "长" * (LONGEST_ANSWER + 1)

    at = send(open_page(session=session.id), text)

    assert [one.value for one in at.warning] == [
        "作答有 20001 个字符，上限是 20000；已放回输入框，请删减后再发送。"
    ]
    assert at.chat_input[0].proto.value == text
    assert services.store.load(session.id) == session


def test_skipping_shows_the_reference_and_gives_no_grade(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01", "S02", follow_ups=1)
    at = open_page(session=session.id)

    at.button(key=f"skip-{session.id}-1").click().run()

    assert "已跳过，不评分。" in shown(at)
    at.session_state[f"reference-box-{session.id}-1"] = True
    text = shown(at.run())
    assert REFERENCE in text
    assert "第 2/2 题" in text
    assert "追问" not in text
    stored = services.store.load(session.id)
    assert stored.turns[0].outcome is None
    assert stored.waiting == ()


def test_not_knowing_is_graded_as_no_content(open_page: OpenPage, begin: Begin, services: Services):
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    at.button(key=f"dont-know-{session.id}-1").click().run()

    assert "反馈：0 分 · 0 级" in shown(at)
    assert "没有可评的内容" in shown(at)
    answer = services.store.load(session.id).turns[0].answer
    assert answer is not None
    assert answer.kind is AnswerKind.DONT_KNOW


def test_repeating_shows_the_question_again_and_stores_nothing(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01")
    at = open_page(session=session.id)

    at.button(key=f"repeat-{session.id}-1").click().run()

    assert shown(at).count("为什么 KV 缓存能让 Decode 变快？") == 2
    assert services.store.load(session.id) == session
    assert at.chat_input


def test_feedback_at_the_end_is_hidden_until_then(open_page: OpenPage, begin: Begin):
    at = open_page(session=begin("S01", "S02", mode=FeedbackMode.AT_END).id)

    send(at, COMPLETE)

    assert "第 2 / 2 题" in shown(at)
    assert not at.expander
    assert "分 · " not in shown(at)

    send(at, "不知道")

    assert "反馈：100 分 · 5 级" in shown(at)
    assert "反馈：0 分 · 0 级" in shown(at)


def test_ending_asks_first(open_page: OpenPage, begin: Begin, services: Services):
    # AppTest reruns the page for a click inside the dialog: the browser tests press its buttons.
    session = begin("S01", "S02")
    at = open_page(session=session.id)

    at.button(key="finish").click().run()

    assert {"finish.yes", "finish.no"} <= {one.key for one in at.button}
    assert "已经作答的题目会进入报告，当前这题不计。" in [one.value for one in at.markdown]
    assert services.store.load(session.id) == session


def test_a_finished_interview_shows_its_level_and_leads_to_the_report(
    open_page: OpenPage, answered: Callable[..., Session]
):
    session = answered(S01=COMPLETE)

    at = open_page(session=session.id)

    assert [one.value for one in at.info] == ["面试结束：100 分 · 5 级 优秀"]
    assert at.page_link[0].proto.query_string == f"session={session.id}"
    assert not at.chat_input

    at.button(key="again").click().run()

    assert "session" not in at.query_params
    assert any(one.label == "开始面试" for one in at.button)


def test_an_answer_that_was_stored_before_a_crash_is_graded_when_the_page_is_opened(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = services.interviews.answer(begin("S01", "S02"), COMPLETE)
    assert session.waiting

    at = open_page(session=session.id)

    assert "反馈：100 分 · 5 级" in shown(at)
    stored = services.store.load(session.id)
    assert stored.waiting == ()
    assert [turn.answer.text for turn in stored.turns if turn.answer] == [COMPLETE]


def test_an_answer_that_waits_in_an_ended_session_is_graded_too(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = services.interviews.answer(begin("S01", "S02"), COMPLETE)
    services.interviews.finish(session)

    at = open_page(session=session.id)

    assert [one.value for one in at.info] == ["面试结束：100 分 · 5 级 优秀"]
    assert "正在等待评分" not in shown(at)
    assert services.store.load(session.id).is_finished


def test_an_answer_to_a_question_that_was_answered_elsewhere_is_not_taken_twice(
    open_page: OpenPage, begin: Begin, services: Services
):
    session = begin("S01", "S02")
    at = open_page(session=session.id)
    services.interviews.skip(session)

    send(at, COMPLETE)

    turns = services.store.load(session.id).turns
    assert [turn.question_id for turn in turns] == ["S01", "S02"]
    assert turns[1].answer is None
    assert not at.error
