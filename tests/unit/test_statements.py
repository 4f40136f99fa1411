"""What of a posting or résumé is searched for, and what is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.document import Document, Line, Row
from bot.services.statements import LONGEST, MOST, WISHED, statements_in, text_of
from tests.strategies import any_text, decorated


def found(text: str) -> list[str]:
    """Return the statements alone."""
    return [one.text for one in statements_in(text).found]


def test_a_posting_is_taken_apart_into_what_it_asks_for():
    text = """
    职位描述：
    1、负责 KV Cache 的跨节点传输，优化首 token 时延；
    2. 参与 All-to-All 等集合通信的开发
    """

    assert found(text) == [
        "负责 KV Cache 的跨节点传输",
        "优化首 token 时延",
        "参与 All-to-All 等集合通信的开发",
    ]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("计算机相关专业，硕士及以上学历", id="degree"),
        pytest.param("有良好的沟通能力和责任心", id="virtue"),
        pytest.param("薪资：30-60K·16 薪", id="salary"),
        pytest.param("工作地点：上海张江人工智能岛", id="place"),
        pytest.param("3 年以上后端开发经验", id="years"),
        pytest.param("六险一金、弹性打卡、免费三餐", id="benefits"),
        pytest.param("电话 13812345678，熟悉 CUDA 与 Triton", id="phone"),
        pytest.param("邮箱 somebody@example.com 熟悉 CUDA", id="mail"),
        pytest.param("We offer health insurance and a degree program", id="English"),
    ],
)
def test_what_finds_no_question_is_left_out(line):
    assert found(f"岗位职责\n{line}\n负责推理引擎的调度器开发") == ["负责推理引擎的调度器开发"]


@pytest.mark.parametrize(
    "heading", ["福利待遇", "【关于我们】", "薪资福利：", "Benefits", "教育经历"]
)
def test_what_stands_below_such_a_heading_is_left_out_until_the_next(heading):
    text = f"{heading}\n技术氛围好，用最新的 GPU 集群\n任职要求\n熟悉 PagedAttention 的实现原理"

    assert found(text) == ["熟悉 PagedAttention 的实现原理"]


@pytest.mark.parametrize("heading", ["加分项", "优先考虑：", "Nice to have"])
def test_what_is_nice_to_have_weighs_less(heading):
    (one,) = statements_in(f"{heading}\n- 做过投机解码相关的 kernel 开发").found

    assert one.weight == WISHED


def test_a_priority_is_not_a_wish():
    (one,) = statements_in("设计多租户请求的优先级与公平性策略").found

    assert one.weight == 1


def test_a_short_item_of_a_list_is_no_heading():
    assert found("要求\n- 满足 SLO 的要求与指标\n") == ["满足 SLO 的要求与指标"]


def test_words_in_brackets_stay_together():
    assert found("熟悉集合通信（All-Reduce，All-Gather，All-to-All）的实现") == [
        "熟悉集合通信（All-Reduce，All-Gather，All-to-All）的实现"
    ]


def test_a_long_text_is_cut_and_says_so():
    lines = "\n".join(f"负责第 {number} 号推理集群的性能优化工作" for number in range(MOST + 7))

    made = statements_in(lines)

    assert (len(made.found), made.left_out) == (MOST, 7)


@given(any_text | decorated | st.lists(decorated).map("\n".join))
def test_any_text_gives_statements_of_its_own_words_each_once(text):
    made = statements_in(text).found

    assert len({one.text for one in made}) == len(made)
    for one in made:
        assert one.text in text
        assert 0 < len(one.text) <= LONGEST
        assert 0 < one.weight <= 1


def test_lines_of_a_page_are_joined_where_a_sentence_goes_on():
    lines = (
        "工作职责",
        "1. 负责大模型推理服务的线上稳定性，制定首 token 时延等指标与",
        "告警规则；",
        "2. 使用 Nsight Compute 分析访存带宽瓶颈并且优化 attention",
        "kernel 的实现",
        "",
        "任职要求",
    )
    document = Document("a.pdf", tuple(Line("第 1 页", one) for one in lines), is_wrapped=True)

    assert text_of(document).splitlines() == [
        "工作职责",
        "1. 负责大模型推理服务的线上稳定性，制定首 token 时延等指标与告警规则；",
        "2. 使用 Nsight Compute 分析访存带宽瓶颈并且优化 attention kernel 的实现",
        "",
        "任职要求",
    ]


def test_cells_of_tables_are_read_once():
    table = (Row("1", ("项目", "项目", "优化 RMSNorm kernel")), Row("2", ("项目", "", "")))

    assert text_of(Document("a.docx", (Line("1", "简历"),), (table,))).split("\n") == [
        "简历", "项目", "优化 RMSNorm kernel",
    ]  # fmt: skip
