"""What can be said of an answer before any judge sees it: no content, an echo, an injection."""

from __future__ import annotations

import re

from bot.domain.claims import Flag
from bot.domain.folding import fold

ECHO = 0.85
"""From this share of its character pairs on, an answer only repeats the question."""

_NOT_WORD = re.compile(r"[^\w]+")
_NO_ANSWER = re.compile(
    r"(?:嗯|呃|额|啊|那个|这个|就是|抱歉|不好意思|sorry|我|真的|确实|其实|也|还|有点|这题|这道题|这个问题)*"
    r"(?:不知道|不清楚|不会|不懂|不太会|不太清楚|不太懂|不了解|不太了解|没思路|没学过|没了解过|没接触过|忘了|忘记了|"
    r"想不起来|答不上来|跳过|过|pass|skip|idk|idontknow|noidea|fine|ok|okay|good|yes|no|嗯|好|好的|是|是的|对|"
    r"test|测试|hello|hi|你好|none|null|na|todo)*"
    r"(?:了|啊|呢|吧|哦|谢谢|下一题|下一个|换一题)*"
)
_INJECTION = tuple(
    re.compile(pattern)
    for pattern in (
        r"(忽略|无视|忘掉|忘记|不要理会|跳过)[^。!?]{0,12}(以上|上面|前面|之前|所有|此前|先前|系统)[^。!?]{0,12}(指令|指示|提示|要求|规则|内容|评分)",
        r"(ignore|disregard|forget|override)[^.!?]{0,30}(previous|above|prior|all|earlier|system)[^.!?]{0,30}(instruction|input|prompt|rule|text|message)?",
        r"(请|必须|应当|直接|务必|麻烦|帮我|给我|给出|判为|判|打|评)[^。!?]{0,10}(满分|100分|一百分|5级|最高分|最高等级|高分|全部命中|全部met|全对)",
        r"(满分答案|标准答案如下|参考答案如下|官方参考答案|评分:|得分:|score:|level:|等级:)[^。!?]{0,20}(100|满分|5|met|优秀)?",
        r"(作为|你是|你现在是|扮演)[^。!?]{0,8}(评分|阅卷|评委|面试官|考官|判卷|裁判|judge|grader)",
        r"(give|assign|award|return|output)[^.!?]{0,20}(full|maximum|perfect|highest|100|score|marks|level5)",
        r"(youare|youarenow|actas)[^.!?]{0,20}(grader|judge|examiner|assistant|evaluator)",
        r"(system|assistant|developer|user)(prompt)?:",
        r"<\|?/?(answer|question|key_points|system|im_start|im_end|reference|rubric|instructions?)",
        r"\[/?(inst|system|enddata|begindata)\]?",
        r"[\"']?(verdict|key_points|keypointid|overclaims|score|level)[\"']?:",
        r"(以下|下面|本段|这段|上述)[^。!?]{0,6}(是|为)?(系统|管理员|开发者|评分标准|评委|官方)(的)?(消息|指令|通知|说明|提示|更新)",
        r"(这|该|此|本)(份|个|条|段)?(回答|答案|作答)[^。!?]{0,10}(已经|已|完全|全部|应该|应当|应)[^。!?]{0,10}(正确|满分|覆盖|命中|得分|通过)",
    )
)


def unanswered(answer: str, stem: str) -> tuple[Flag, ...]:
    """Return why an answer says nothing, or nothing if it says something.

    Decided without a judge: lone tokens and refusals were seen to pass language-model judges.
    An unpunctuated Chinese answer is content; words are never counted by spaces.
    """
    plain = _letters(answer)
    if len(set(plain)) < 2 or _NO_ANSWER.fullmatch(plain):
        return (Flag.NO_CONTENT,)
    pairs, asked = _pairs(plain), set(_pairs(_letters(stem)))
    if pairs and sum(pair in asked for pair in pairs) / len(pairs) >= ECHO:
        return (Flag.NO_CONTENT, Flag.ECHO)
    return ()


def addresses_the_judge(text: str) -> bool:
    """Say whether a piece of an answer speaks to the judge instead of answering."""
    folded = fold(text).text.replace(" ", "")
    return any(pattern.search(folded) for pattern in _INJECTION)


def _letters(text: str) -> str:
    return _NOT_WORD.sub("", fold(text).text).replace("_", "")


def _pairs(text: str) -> list[str]:
    return [text[index : index + 2] for index in range(len(text) - 1)]
