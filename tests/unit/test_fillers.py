"""What counts as a filler and as a self-correction, sentence by sentence; expected by hand."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.fillers import corrections, fillers
from tests.strategies import answers, any_text

SAID = [
    # Sounds, with and without marks.
    ("嗯，KV cache 会随上下文增长。", ["嗯"]),
    ("嗯嗯，对。", ["嗯嗯"]),
    ("呃显存不够的时候会抢占", ["呃"]),
    ("它会呃占用显存", ["呃"]),
    ("H100 呃 80 GB", ["呃"]),
    ("嗯……先看带宽", ["嗯"]),
    ("额，我想想，应该是带宽。", ["额", "我想想"]),
    ("额额权重要读一遍", ["额额"]),
    ("啊，对，还要看序列长度。", ["啊"]),
    ("emm 这个不太好说", ["emm"]),
    ("Emmm，带宽吧", ["Emmm"]),
    ("uh the batch um grows", ["uh", "um"]),
    # 那个 and 这个 with nothing to point at.
    ("那个，我觉得 decode 是访存瓶颈。", ["那个"]),
    ("那个 我觉得 decode 是访存瓶颈", ["那个"]),
    ("那个我觉得 decode 是访存瓶颈", ["那个"]),
    ("嗯那个，显存不够", ["嗯", "那个"]),
    ("那个嗯 decode 阶段", ["那个", "嗯"]),
    ("那个那个请求会被抢占", ["那个"]),
    ("把那个，那个请求换出去", ["那个"]),
    ("这个，怎么说呢，要看带宽。", ["这个", "怎么说呢"]),
    ("这个这个显存不太够", ["这个"]),
    ("显存不够，这个，呃，就会抢占", ["这个", "呃"]),
    ("吞吐会涨。那个……延迟也会变。", ["那个"]),
    # 就是 that says nothing.
    ("就是，嗯，decode 每步只算一个 token。", ["就是", "嗯"]),
    ("就是就是权重要重新读一遍", ["就是"]),
    ("就是我觉得瓶颈在带宽", ["就是"]),
    ("嗯，那个，就是，权重读一次。", ["嗯", "那个", "就是"]),
    ("就是那个，呃，块表", ["就是", "那个", "呃"]),
    ("显存要留出来，就是，给峰值用", ["就是"]),
    # 然后 that joins nothing.
    ("然后呃显存就不够了", ["然后", "呃"]),
    ("吞吐会上去，然后所以延迟也会变差。", ["然后"]),
    ("然后我觉得还有一个代价。", ["然后"]),
    ("吞吐会涨，然后，但是延迟会变差", ["然后"]),
    ("然后然后调度器就抢占", ["然后"]),
    ("然后呢，它会触发抢占。", ["然后"]),
    ("权重读一次，然后我认为带宽够了", ["然后"]),
    # Tags and phrases.
    ("KV 会涨对吧然后显存就不够了", ["对吧"]),
    ("批越大越好，对吧，但是延迟会变差。", ["对吧"]),
    ("显存是固定的，是吧，所以要省。", ["是吧"]),
    ("该怎么说呢 主要是带宽", ["该怎么说呢"]),
    ("让我想想，应该是 80 GB", ["让我想想"]),
]
MEANT = [
    # 那个 and 这个 that point at something.
    "那个请求会被放回等待队列。",
    "那个时候显存已经满了。",
    "把那个请求换出去",
    "用的是那个，不是这个。",
    "最大的那个，会先被抢占。",
    "那个 batch 已经满了",
    "那个不用的块会被回收",
    "要找的就是那个 KV cache 的块",
    "先到的那个先算",
    "这个模型有 70B 参数",
    "这个问题要分两种情况。",
    "这个我不太确定",
    "这个是前提，那个是代价。",
    "各种这个那个的参数",
    "在这个基础上再加一层",
    # 就是 that says what something is.
    "瓶颈就是显存带宽",
    "就是说，权重只读一次。",
    "也就是 KV cache。",
    "原因就是，显存不够。",
    "那就是带宽瓶颈",
    "就是因为带宽不够",
    "就是把 KV 切成固定大小的块",
    "不是算力不够，就是带宽不够。",
    "代价就是那个显存占用",
    "要的就是这个",
    # 然后 that tells an order.
    "先做 prefill，然后做 decode。",
    "请求进来，然后调度器分配块。",
    "首先算 QK，然后所以再做 softmax。",
    "先来看 prefill，然后呢，看 decode。",
    "分配块，写入 KV，然后更新块表。",
    # Words that contain the sounds, and questions that are meant.
    "额外的显存开销",
    "配额不够，就会排队。",
    "余额，不是金额。",
    "这样就好了啊",
    "是带宽啊。",
    "EM 算法和 emb 层",
    "单位是 5 um",
    "umbrella 和 number 都不是",
    "这样理解对吧？",
    "我说得对吧",
    "足以应对吧",
    "文档里怎么说，我就怎么做",
    "我想一想法是不是一样的",
]
CORRECTED = [
    ("显存是 80 GB，不对，应该是 40 GB。", ["不对"]),
    ("显存是 80 GB 不对 应该是 40 GB", ["不对"]),
    ("吞吐会降，不对不对，是延迟会涨。", ["不对不对"]),
    ("我更正一下，是每层都有通信。", ["我更正一下"]),
    ("通信在最后，更正一下，每层都有。", ["更正一下"]),
    ("刚才说错了，是 decode 阶段。", ["刚才说错了"]),
    ("权重要读两遍，我说错了，只读一遍。", ["我说错了"]),
    ("每层一次，说错了，每层两次", ["说错了"]),
    ("前面那个数我算错了，是 16 GB。", ["前面那个数我算错了"]),
    ("这是口误，我重新说一遍。", ["口误，我重新说一遍"]),
    ("量化会带来精度损失，啊不，是可能带来。", ["啊不"]),
    ("用 GB 算，不对，我说错了，应该是 GiB。", ["不对，我说错了"]),
    ("显存是 80，不对，是 40。带宽我记错了，是 3 TB。", ["不对", "我记错了"]),
]
NOT_CORRECTED = [
    "不对，应该是带宽瓶颈。",
    "嗯，不对，应该是带宽。",
    "这样说不对，应该看序列长度。",
    "这种说法不对",
    "很多人以为是算力，不对，应该是带宽。",
    "如果算错了，就会 OOM。",
    "我们怕算错了块数",
    "块表可能被写错了",
    "两边的形状不对应该怎么办",
    "需要修正一下比例",
    "请求要重新来一遍",
    "不是所有模型都能更快。",
    "嗯不是，它不会减半。",
]


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_a_filler_is_counted_where_nothing_else_can_be_meant(text: str, expected: list[str]):
    assert [one.quote for one in fillers(text)] == expected


@pytest.mark.parametrize("text", MEANT)
def test_words_that_mean_something_are_no_fillers(text: str):
    assert [one.quote for one in fillers(text)] == []


@pytest.mark.parametrize(("text", "expected"), CORRECTED)
def test_a_self_correction_is_found_and_counted_once(text: str, expected: list[str]):
    assert [one.quote for one in corrections(text)] == expected


@pytest.mark.parametrize("text", NOT_CORRECTED)
def test_a_statement_a_condition_or_another_opinion_is_no_correction(text: str):
    assert [one.quote for one in corrections(text)] == []


@given(
    st.one_of(
        any_text,
        answers,
        st.text(alphabet="嗯呃额啊那个这就是然后，。 对吧不我说错了", max_size=40),
    )
)
def test_what_is_found_stands_in_the_text_in_order_and_does_not_overlap(text: str):
    for found in (fillers(text), corrections(text)):
        assert all(text[one.start : one.end] == one.quote for one in found)
        assert all(one.end <= other.start for one, other in pairwise(found))
        assert all(one.quote.strip() for one in found)


@given(answers)
def test_a_sound_in_front_adds_one_filler(text: str):
    assert len(fillers(f"嗯，{text}")) >= 1 + len(fillers(f"，{text}"))


@pytest.mark.parametrize(
    "text",
    ["嗯，那个，就是，" * 2500, "然后我觉得" * 4000, "权" + " " * 20_000 + "重", "我说错了" * 5000],
    ids=["fillers", "then", "spaces", "corrections"],
)
def test_the_longest_answer_takes_no_time(text: str):
    begun = time.perf_counter()

    fillers(text)
    corrections(text)

    assert time.perf_counter() - begun < 3  # seconds; each piece looked at once takes 0.2
