"""What promises too much is found with or without a marker word; what only sounds so is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.yaml_banks import read_bank
from bot.domain.claims import Claims, ErrorClaim, OverclaimClaim, PointClaim, Verdict
from bot.domain.evidence import locate
from bot.domain.question import Question, Slot
from bot.domain.target import Target, target_of
from bot.offline.overclaims import promises
from bot.offline.reading import Reading
from bot.offline.rewriting import WRONG, overclaims, wrong_parts
from bot.offline.settings import OfflineSettings
from tests import fakes
from tests.strategies import answers

SHIPPED = fakes.shipped_lexicon()
BANK = read_bank(Path(__file__).parents[2] / "corpus" / "vllm")
TARGET = target_of(fakes.question(stem="上线之后会怎样？"))
LINKS = target_of(
    fakes.question(
        stem="上线之后会怎样？",
        points=(
            fakes.key_point("a", Slot.PREMISE_COST, says="代价：要传输状态"),
            fakes.key_point("b", Slot.PREMISE_COST, says="跨机时受链路带宽限制"),
        ),
    )
)

WITH_A_MARKER = [
    "上了 PD 分离吞吐一定更快",
    "开了前缀缓存 TTFT 必然下降",
    "这样部署就永远不会 OOM",
    "FP8 绝对不会掉精度",
    "把 batch 开大，吞吐肯定更高",
    "CUDA graph 可以完全消除 launch 开销",
    "用了 PagedAttention 碎片就彻底消失",
    "100% 不会触发抢占",
    "这个方案从来不会排队",
    "一定能命中缓存",
    "任何模型都能用这个配置提速",
    "所有场景都适合开 chunked prefill",
    "不管什么负载都比原来快",
    "无论多长的上下文都能放下",
    "随便什么卡都能跑",
    "这种做法毫无风险",
    "根本不影响延迟",
    "MoE 一定比 dense 快",
    "PD 分离之后 decode 再也不会被打断",
    "FP8 精度没有任何损失",
]
WITHOUT_A_MARKER = [
    "上了 PD 分离，吞吐就翻倍",
    "换成 H100 之后延迟直接减半",
    "TP 开到 8，速度就能提升 8 倍",
    "块越小越好，碎片就越少",
    "并发越高越好",
    "PD 分离没有任何代价",
    "KV 传输的时间可以忽略不计",
    "显存开销等于白送",
    "量化以后效果和原来一样",
    "通信全被计算盖住",
    "直接打开就行，不用管负载",
    "前缀缓存无脑开就对了",
    "上线之前不需要压测",
    "用了 vLLM 就不用担心显存",
    "加卡就能解决延迟问题",
    "只要加机器就能扛住流量",
    "只要开了 graph 就不会有 launch 开销",
    "decode 就是带宽瓶颈",
    "分页是万能的方案",
    "投机解码稳赚不赔",
    "吞吐随卡数线性扩展",
    "开多大 batch 都没关系",
    "升级之后性能自然会变好",
]
NEGATED = [
    "不一定更快",
    "不必然减半",
    "这并不能保证吞吐更高",
    "并非所有请求都能命中缓存",
    "没有哪种配置一定更快",
    "不敢说一定能翻倍",
    "很难说一定能提升",
    "不代表永远不会抢占",
    "不意味着质量和原来一样",
    "不存在零开销的方案",
    "不要指望通信全被盖住",
    "避免把延迟翻倍",
    "不同请求不能任意共享 KV",
]
REFUTED = [
    "有人说 PD 分离一定更快，其实要看流量",
    "很多人以为开了缓存就永远不会慢，这是误区",
    "“吞吐一定翻倍”这种说法不严谨",
    "网上说上了就翻倍，但那是特定负载下的数字",
]
ALWAYS_TRUE = [
    "每个 token 都要写一份 KV",
    "每一步都会读一遍全部权重",
    "每一层都要做一次 all-reduce",
    "所有请求共享同一份权重",
    "所有输入位置都参与注意力计算",
    "所有 rank 都必须参与集合通信",
    "全注意力层每步都要读全部历史",
    "decode 一步只能出一个 token，不可能并行",
    "完全相同的前缀才能共享",
    "任何一个字段不同，哈希就会变",
    "batch 越大，每步时间越长",
]
SAFETY = [
    "必须等传输完成才能释放源端的块",
    "一定要等引用计数归零之后才能复用",
    "绝对不能在传输完成之前释放",
    "首 token 必须等 Prefill 跑完",
    "必须全部到齐才会继续",
    "一定要先压测",
]
CONDITIONAL = [
    "如果 decode 占满带宽，加大 batch 通常能提高吞吐",
    "当负载稳定时，前缀缓存一定程度上能降低 TTFT",
    "通常更快，但取决于负载",
    "大概率能命中，前提是前缀稳定",
    "可能提升两倍，要实测",
]
TERMS = [
    "拒绝采样保证目标分布不变",
    "投机解码在正确实现时保证分布与目标模型一致",
    "原子操作保证引用计数正确",
    "分布式锁保证顺序",
    "绝对位置编码会影响缓存复用",
    "绝对误差在千分之一以内",
    "用哈希建立唯一索引",
    "要按最坏情况预留显存",
    "这在一定程度上缓解了排队",
    "需要一定的显存开销",
    "完全二叉树的高度是对数级",
    "任意两个请求的公共前缀可以共享",
    "零拷贝指不经过 CPU 缓冲",
]
QUESTIONS = ["吞吐一定会翻倍吗？", "这样就永远不会 OOM 了吗？", "为什么不能说一定更快？"]


def found(
    answer: str, settings: OfflineSettings = SHIPPED, target: Target = TARGET
) -> list[OverclaimClaim]:
    reading = Reading(answer, target.stem, settings)
    return overclaims(reading, target, promises(reading, settings), settings)


def params(sentences: list[str]) -> list[object]:
    return [pytest.param(one, id=one[:14]) for one in sentences]


class TestShippedLexicon:
    @pytest.mark.parametrize("sentence", params(WITH_A_MARKER + WITHOUT_A_MARKER))
    def test_an_overclaim_is_found(self, sentence: str) -> None:
        over, *_ = found(f"先说结论。{sentence}。")

        assert over.quote in sentence
        assert over.why
        assert over.rewrite != over.quote

    @pytest.mark.parametrize("sentence", params(WITH_A_MARKER + WITHOUT_A_MARKER))
    def test_it_is_found_in_speech_too(self, sentence: str) -> None:
        assert found(f"嗯我觉得就是{sentence}")

    @pytest.mark.parametrize(
        "sentence",
        params(NEGATED + REFUTED + ALWAYS_TRUE + SAFETY + CONDITIONAL + TERMS + QUESTIONS),
    )
    def test_a_confident_and_correct_sentence_is_left_alone(self, sentence: str) -> None:
        end = "" if sentence.endswith("？") else "。"

        assert found(f"先说结论。{sentence}{end}") == []

    @pytest.mark.parametrize("pattern", params([one.pattern for one in SHIPPED.overclaims]))
    def test_a_softer_word_is_no_overclaim_itself(self, pattern: str) -> None:
        (one,) = (one for one in SHIPPED.overclaims if one.pattern == pattern)

        assert found(f"吞吐{one.softer}提高。") == []


class TestExemptions:
    """With a small lexicon of our own."""

    def spots(self, answer: str) -> list[str]:
        return [over.quote for over in found(answer, fakes.lexicon())]

    def test_the_whole_clause_is_quoted(self) -> None:
        assert self.spots("先说结论，分离之后**一定**更快，我觉得。") == ["分离之后**一定**更快"]

    def test_two_overclaims_of_one_clause_are_one(self) -> None:
        assert self.spots("一定永远更快，永远不慢。") == ["一定永远更快", "永远不慢"]

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("不一定更快。", id="negated"),
            pytest.param("没有办法一定更快。", id="negated earlier in the clause"),
            pytest.param("有人说一定更快，这不成立。", id="refuted"),
            pytest.param("一定程度上更快。", id="term"),
            pytest.param("一定更快？", id="question"),
            pytest.param("如果带宽够，一定更快。", id="condition stated"),
            pytest.param("当负载稳定时一定更快。", id="condition stated in the clause"),
        ],
    )
    def test_what_only_sounds_like_one_is_exempt(self, answer: str) -> None:
        assert self.spots(answer) == []

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("不慢，一定更快。", id="negation of another clause"),
            pytest.param("一定更快，如果带宽够。", id="condition too late"),
            pytest.param("如果带宽够就开。一定更快。", id="condition of another sentence"),
            pytest.param("有人说一定更快，我同意。", id="hearsay that is shared"),
            pytest.param("难道不快？一定更快。", id="after a question"),
        ],
    )
    def test_what_stands_elsewhere_exempts_nothing(self, answer: str) -> None:
        assert len(self.spots(answer)) == 1

    def test_a_strong_promise_is_one_even_under_a_condition(self) -> None:
        assert self.spots("如果带宽够，永远不慢。") == ["永远不慢"]


class TestRewrite:
    def test_the_words_are_softened(self) -> None:
        (over,) = found("分离之后一定会快。", fakes.lexicon())

        assert "分离之后通常会快" in over.rewrite
        assert "一定" not in over.rewrite

    def test_without_a_softer_word_the_claim_is_repeated_as_a_possible_one(self) -> None:
        (over,) = found("分离之后吞吐就翻倍。", fakes.lexicon())

        assert "“分离之后吞吐就翻倍”可能成立" in over.rewrite

    @pytest.mark.parametrize("answer", params(["跨机链路上一定会快。", "跨机链路上吞吐就翻倍。"]))
    def test_the_premise_that_shares_most_words_is_the_example(self, answer: str) -> None:
        (over,) = found(answer, fakes.lexicon(), LINKS)

        assert "例如：跨机时受链路带宽限制" in over.rewrite

    def test_words_of_another_overclaim_choose_no_example(self) -> None:
        one, other = found("跨机链路上一定会快，永远不慢。", fakes.lexicon(), LINKS)

        assert "例如：跨机时受链路带宽限制" in one.rewrite
        assert "例如" not in other.rewrite

    def test_a_premise_is_an_example_once(self) -> None:
        first, second = found("跨机一定会快。跨机链路一定更快。", fakes.lexicon(), LINKS)

        assert "例如：跨机时受链路带宽限制" in first.rewrite
        assert "例如" not in second.rewrite

    @pytest.mark.parametrize("answer", params(["分离之后一定会快。", "分离之后吞吐就翻倍。"]))
    def test_where_no_premise_is_related_there_is_no_example(self, answer: str) -> None:
        (over,) = found(answer, fakes.lexicon(), LINKS)

        assert "例如" not in over.rewrite

    def test_words_of_the_question_relate_nothing(self) -> None:
        target = LINKS.model_copy(update={"stem": "跨机链路上的带宽有什么影响？"})

        (over,) = found("跨机链路上一定会快。", fakes.lexicon(), target)

        assert "例如" not in over.rewrite

    @pytest.mark.parametrize(
        "answer",
        params(
            ["PD 分离没有任何代价。", "PD 分离一定没有副作用。", "PD is used with no overhead."]
        ),
    )
    def test_who_denies_costs_is_asked_to_name_them(self, answer: str) -> None:
        (over,) = found(answer, target=LINKS)

        assert over.rewrite == "代价是有的，写明是什么，例如：【代价：要传输状态】。"

    @pytest.mark.parametrize(
        "answer",
        params(
            ["任何情况都更快。", "任何模型都能提速。", "并发越高越好。", "batch 一定越大越好。"]
        ),
    )
    def test_who_claims_all_cases_is_asked_for_the_ones_that_hold(self, answer: str) -> None:
        (over,) = found(answer, target=LINKS)

        assert over.rewrite == "只说在哪些情况下成立；其余情况不一定。"

    def test_the_clause_with_the_subject_comes_along(self) -> None:
        (over,) = found("前缀缓存开了以后，绝对不会掉精度。")

        assert over.rewrite.startswith("前缀缓存开了以后，通常不会掉精度，前提是")
        assert over.quote == "绝对不会掉精度"

    def test_the_marker_is_softened_where_it_stands(self) -> None:
        (over,) = found("一定程度上看，延迟高，吞吐不一定，但速度一定更快。")

        assert over.rewrite.startswith("但速度通常更快")

    def test_what_is_wrong_gets_no_condition(self) -> None:
        answer = "跨机一定会快，分离之后一定更快。"
        reading = Reading(answer, LINKS.stem, fakes.lexicon())
        claims = Claims(errors=(ErrorClaim(quote="分离之后一定更快", why="反了"),))

        one, other = overclaims(
            reading,
            LINKS,
            promises(reading, fakes.lexicon()),
            fakes.lexicon(),
            wrong_parts(claims, answer),
        )

        assert one.rewrite.startswith("跨机通常会快")
        assert other.rewrite == WRONG

    def test_a_contradicted_sentence_is_wrong_where_no_error_says_which_words(self) -> None:
        answer = "跨机一定会快。分离之后一定更快。"
        claims = Claims(
            points=(PointClaim(key_point_id="a", verdict=Verdict.CONTRADICTED, sentences=(1,)),)
        )

        (wrong,) = wrong_parts(claims, answer)

        assert wrong.quote.startswith("跨机一定会快")

    @pytest.mark.parametrize("answer", params(["分离之后一定会快。", "分离之后吞吐就翻倍。"]))
    def test_a_question_without_limits_asks_for_them_in_general(self, answer: str) -> None:
        target = target_of(fakes.question(points=(fakes.key_point("a"),)))

        (over,) = found(answer, fakes.lexicon(), target)

        assert "条件" in over.rewrite
        assert "采分点" not in over.rewrite


@given(
    st.lists(st.sampled_from(WITH_A_MARKER + WITHOUT_A_MARKER), min_size=1, max_size=4),
    st.sampled_from(["，", "。"]),
    st.sampled_from(BANK.questions),
)
def test_no_rewrite_is_an_overclaim_itself(
    sentences: list[str], mark: str, question: Question
) -> None:
    for over in found(mark.join(sentences) + "。", target=target_of(question)):
        assert found(over.rewrite) == [], over.rewrite


@given(answers, answers)
def test_every_quote_stands_in_the_answer(before: str, after: str) -> None:
    answer = f"{before}上了之后吞吐一定翻倍{after}"

    for over in found(answer):
        assert locate(over.quote, answer) is not None
