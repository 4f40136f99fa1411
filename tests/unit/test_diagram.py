"""Mermaid text is found in answers, read line by line, and told in sentences with their places."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.domain.arrow import Arrow, Stroke
from bot.domain.diagram import (
    MOST_ARROWS,
    diagram_lines,
    diagrams_in,
    fold_told,
    widened,
    without_diagrams,
)
from bot.domain.flowchart import flowchart_lines
from bot.domain.folding import fold
from bot.domain.sentence import split
from bot.domain.sequence_diagram import sequence_lines
from tests.strategies import any_text, decorated

MERMAID = st.lists(
    st.sampled_from(
        ["flowchart LR\n", "graph TD;", "sequenceDiagram\n", "A", "B[乙]", "-->", "-.->", "|调用|",
         "->>", ": ", "\n", "```\n", "```mermaid\n", " & ", "subgraph x\n", "end\n", "%% 注\n", ";",
         "participant C as 丙\n", "Note over C: 说明\n", '"', "[", "(", "{", "~~~", "虚线是职责。"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def fenced(source: str) -> str:
    return f"```mermaid\n{source}\n```"


def told(answer: str) -> list[str]:
    """Return the told sentences of an answer."""
    return [one for one in fold_told(answer).text.split("。") if one]


def arrows(source: str) -> list[Arrow]:
    return [one for line in flowchart_lines(f"flowchart LR\n{source}") for one in line.arrows]


def messages(source: str) -> list[Arrow]:
    return [one for line in sequence_lines(f"sequenceDiagram\n{source}") for one in line.arrows]


class TestFinding:
    def test_a_fence_is_found_with_its_place(self):
        text = "先看图：\n" + fenced("flowchart LR\n  A --> B") + "\n完。"

        (found,) = diagrams_in(text)

        assert found.source == "flowchart LR\n  A --> B\n"
        assert text[found.start : found.end] == found.source
        assert without_diagrams(text) == "先看图：\n\n完。"

    def test_a_fence_that_is_not_closed_goes_to_the_end(self):
        assert diagrams_in("```mermaid\ngraph TD\nA-->B")[0].source == "graph TD\nA-->B"

    @pytest.mark.parametrize(
        "text",
        [
            "flowchart LR\nA-->B",
            "graph TD; A-->B",
            "%% 注\nsequenceDiagram\nA->>B: x",
            "\ngraph\nA",
        ],
    )
    def test_a_whole_answer_may_be_a_diagram(self, text: str):
        assert diagrams_in(text)[0].source == text

    @pytest.mark.parametrize(
        "text", ["graph 是 CUDA Graph\n吗", "flowchart", "```python\nx\n```", "graphics\n", ""]
    )
    def test_words_and_other_code_are_no_diagram(self, text: str):
        assert diagrams_in(text) == ()


class TestFlowcharts:
    @pytest.mark.parametrize(
        ("link", "label", "stroke"),
        [
            ("-->", "", Stroke.SOLID),
            ("---->", "", Stroke.SOLID),
            ("-.->", "", Stroke.DOTTED),
            ("==>", "", Stroke.THICK),
            ("-->|调用|", "调用", Stroke.SOLID),
            ('-->|"调用：f()"|', "调用：f()", Stroke.SOLID),
            ("-- 调用 -->", "调用", Stroke.SOLID),
            ("-. 职责 .->", "职责", Stroke.DOTTED),
            ("== 主路 ==>", "主路", Stroke.THICK),
            ("e1@-->", "", Stroke.SOLID),
            ("--o ", "", Stroke.SOLID),
        ],
    )
    def test_every_way_to_write_an_arrow(self, link: str, label: str, stroke: Stroke):
        assert arrows(f"A {link} B") == [Arrow("A", "B", label, stroke)]

    @pytest.mark.parametrize(
        "shape",
        ["[甲]", "(甲)", "([甲])", "[[甲]]", "[(甲)]", "((甲))", "{甲}", "{{甲}}", "[/甲/]", ">甲]",
         '["甲"]', '("`甲`")', "[<b>甲</b>]", '@{ shape: cyl, label: "甲" }', "[甲]:::warm"],
    )  # fmt: skip
    def test_every_shape_shows_its_label(self, shape: str):
        assert arrows(f"A{shape} --> B")[0].source == "甲"

    def test_a_label_may_stand_on_a_later_line_than_the_arrow(self):
        assert arrows("A --> B\nB[乙<br/>二]") == [Arrow("A", "乙 二")]

    def test_chains_and_groups_of_nodes_are_every_arrow_between_them(self):
        pairs = [(one.source, one.target) for one in arrows("A & B --> C --> D; D --> A")]

        assert pairs == [("A", "C"), ("B", "C"), ("C", "D"), ("D", "A")]

    def test_an_arrow_with_two_heads_goes_both_ways_and_a_line_neither(self):
        assert [(one.source, one.target) for one in arrows("A <--> B")] == [("A", "B"), ("B", "A")]
        assert [one.is_directed for one in arrows("A --- B")] == [False]
        assert arrows("A ~~~ B") == []

    def test_what_is_not_understood_is_plain(self):
        lines = flowchart_lines("flowchart LR\nA --> B\n这不是 Mermaid --> 吧，，")

        assert [line.is_plain for line in lines] == [False, False, True]

    def test_lines_that_only_decorate_draw_nothing(self):
        source = "flowchart LR\nclassDef a fill:#fff\nstyle A fill:#f00\nclick A href\nend"

        assert all(
            not (one.arrows or one.labels or one.is_plain) for one in flowchart_lines(source)
        )


class TestSequences:
    def test_messages_are_told_by_the_names_of_who_takes_part(self):
        source = "participant C as Client\nC->>+E: add()\nE-->>-C: 结果"

        assert messages(source) == [
            Arrow("Client", "E", "add()", Stroke.SOLID, is_message=True),
            Arrow("E", "Client", "结果", Stroke.DOTTED, is_message=True),
        ]

    def test_a_hyphen_in_a_name_is_no_arrow(self):
        assert messages("kv-xfer->>B: x")[0][:2] == ("kv-xfer", "B")

    def test_notes_and_the_heads_of_blocks_are_kept(self):
        lines = sequence_lines("sequenceDiagram\nNote over A,B: 说明\nloop 每一轮\nend\nautonumber")

        assert [line.notes for line in lines] == [(), ("说明",), ("每一轮",), (), ()]


class TestTelling:
    def test_an_arrow_is_told_as_a_relation_and_with_its_label(self):
        answer = fenced("flowchart LR\nA[甲] -->|调用接口| B[乙]\nB -.->|职责| C[丙]")

        assert told(answer) == ["甲调用→乙", "甲调用接口→乙", "乙负责→丙", "乙职责→丙"]

    def test_a_legend_tells_what_bare_arrows_mean(self):
        answer = "实线是调用，职责用虚线。\n" + fenced("flowchart LR\nA --> B\nB -.-> C")

        assert told(answer)[1:] == ["a调用→b", "b负责→c"]

    def test_a_label_that_denies_is_no_relation(self):
        answer = fenced("flowchart LR\nA -->|不直接调用| B")

        assert told(answer) == ["a→b", "a不直接调用→b"]

    def test_a_bare_node_says_nothing_and_a_statement_in_it_does(self):
        answer = fenced(
            "flowchart LR\nA[调度器]\nB[调度器<br/>决定谁先跑]\nC[它决定每个请求先跑多少]"
        )

        assert told(answer) == ["调度器是决定谁先跑", "它决定每个请求先跑多少"]

    def test_a_message_calls_and_a_dotted_one_returns(self):
        assert told("sequenceDiagram\nA->>B: go\nB-->>A: ok") == [
            "a调用→b", "a go→b", "b返回→a", "b ok→a",
        ]  # fmt: skip

    def test_typed_arrows_in_words_are_arrows(self):
        assert fold_told("甲 -> 乙 --> 丙").text == "甲→乙→丙"

    @given(any_text | decorated)
    def test_words_without_arrows_are_folded_as_ever(self, text: str):
        if ">" not in text and not diagrams_in(text):
            assert fold_told(text) == fold(text)

    @given(MERMAID | any_text)
    @example("```mermaid\nflowchart LR\nA-->B")
    @example("sequenceDiagram\nA->>B: x")
    def test_every_told_character_has_a_place_and_places_never_go_back(self, text: str):
        folded = fold_told(text)

        assert len(folded.text) == len(folded.offsets)
        assert all(0 <= at < len(text) for at in folded.offsets)
        assert all(a <= b for a, b in itertools.pairwise(folded.offsets))

    def test_a_place_in_a_diagram_is_widened_to_its_line(self):
        answer = "前\n" + fenced("flowchart LR\n  A --> B\n  B --> C")
        lines = diagram_lines(answer)
        at = answer.index("B --> C")

        assert widened(at + 2, at + 3, lines) == (at, at + len("B --> C"))
        assert widened(0, 1, lines) == (0, 1)

    def test_no_more_arrows_are_told_than_anybody_draws(self):
        answer = "flowchart LR\n" + "A-->|职责|B;\n" * 1500

        begun = time.perf_counter()
        folded = fold_told(answer)

        assert folded.text.count("a负责→b") == MOST_ARROWS
        assert time.perf_counter() - begun < 5

    @pytest.mark.parametrize("piece", ["A & ", "A-->", " ", '"', "[", "-", "x:", "A-- b "])
    def test_a_long_line_takes_no_time(self, piece: str):
        for header in ("flowchart LR\n", "sequenceDiagram\n"):
            begun = time.perf_counter()
            fold_told(header + piece * (20_000 // len(piece)))

            assert time.perf_counter() - begun < 5


class TestSentences:
    def test_a_line_of_a_diagram_is_one_sentence_whatever_marks_it_has(self):
        line = 'A["甲；乙。丙，' + "丁" * 90 + '"] --> B'

        answer = "先说。再看图。\n" + fenced(f"flowchart LR\n{line}")
        sentences = [one.text for one in split(answer)]

        assert sentences == ["先说。", "再看图。", "```mermaid", "flowchart LR", line]
