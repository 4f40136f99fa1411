"""What can be said of an answer before any judge sees it: no content, an echo, an injection."""

from __future__ import annotations

import re

from bot.domain.claims import Flag
from bot.domain.folding import fold

ECHO = 0.85
"""From this share of its character pairs on, an answer only repeats the question."""

_NOT_WORD = re.compile(r"[^\w]+")
_SUM = re.compile(r"[=≈]\s?约?\s?[\d.]|\d[^\d,。;!?\s]{0,3}\s?[×x*÷]\s?\d")
_NO_ANSWER = re.compile(
    r"(?:嗯|呃|额|啊|那个|这个问题|这个|就是|抱歉|不好意思|sorry|我|真的|确实|其实|也|还|有点|这题|这道题|"
    r"不知道|不清楚|不会|不懂|不太会|不太清楚|不太懂|不了解|不太了解|没思路|没学过|没了解过|没接触过|忘了|忘记了|"
    r"想不起来|答不上来|跳过|过|pass|skip|idk|idontknow|noidea|fine|okay|ok|good|yes|none|no|好的|好|是的|是|对|"
    r"test|测试|hello|hi|你好|null|na|todo|了|呢|吧|哦|谢谢|下一题|下一个|换一题)*+"
)
"""Possessive, and the longer of two words first: a long row of 嗯 must not take seconds."""

_ABOVE = r"(?:以上|上面|上述|前面|前文|之前|此前|先前|系统|所有|一切|任何|原有)"
_JUDGE = r"(?:评分|阅卷|评委|考官|判卷|裁判|judge|grader)"
_INJECTION = tuple(
    re.compile(pattern)
    for pattern in (
        # 忽略以上所有指令；滑动窗口会忽略前面的内容 is none, nor is 系统提示词
        rf"(?<![会能被])(?:忽略|无视|忘掉|忘记|抛开|不要理会|别理会|不用管|别管)掉?(?:你|您)?{_ABOVE}"
        rf"(?:的|那些|给你|给出|评分|{_ABOVE})*(?:指令|指示|命令|提示(?!词)|规则|要求|设定|标准|rubric|prompt)",
        r"(?:忽略|无视|忘掉|不要理会)(?:以上|上述)的?(?:所有|全部)?内容",
        r"(?:忽略|无视|忘掉|抛开|不要理会|别理会|不用管|别管)(?:你的|您的|所有|任何)?(?:评分|打分|阅卷)(?:标准|规则|要求|细则)",
        r"(?:ignore|disregard|forget|override)(?:all|any|every|the|these|those|your|my|of|and)*"
        r"(?:previous|above|prior|preceding|earlier|system|foregoing|initial|original)"
        r"(?:and|or|previous|above|system|the|all|grading|scoring)*"
        r"(?:instruction|prompt|rule|rubric|guideline|command|direction|message|criteria)",
        r"(?:ignore|disregard|forget)(?:everything|anything|all)(?:of|the|that|stated|written|said)*(?:above|before)",
        r"(?:ignore|disregard|forget)all(?:of|the|my|your)*(?:previous|prior|above|earlier)inputs?",
        # 请给满分；请求的前缀全部命中 and 打满分到的带宽 are none
        r"(?:给|打|判|评|得|应|请|要|算|拿|输出)[^。!?;,]{0,10}(?:满分(?![到配片区布给组层])|一百分|最高分(?![的数])|最高等级)",
        r"(?:给|打|判|评|得|应|请)[^。!?;,]{0,8}100分(?![钟位之片区块])",
        r"(?:给|打|评|判|定)(?:我|本|此|该|这|题|份|个|作答|回答|答案|为|成|到|上|出)*[5五]级(?!缓存|流水|并行|队列|反馈)",
        r"(?:给|打|评|判)(?:我|这份|这个|该|个|一个|出|上)*高分(?![辨位])",
        r"(?:判|判定|评|标记|认定)(?:为|成)?(?:全部|全)(?:命中|met|正确|对(?![齐应比称等])|满足|通过)",
        r"(?:采分点|得分点|评分点|评分标准|评分规则)[^。!?;]{0,14}(?:命中|满足|met|覆盖|通过|满分|作废|无效|更新)",
        r"(?:满分答案|标准答案如下|参考答案如下|官方(?:参考)?答案)",
        r"(?:评分|得分|总分|分数|score|grade|level|等级)(?:结果)?[:=](?:为)?"
        r"(?:满分|优秀|excellent|full|max|(?:100|5)(?![0-9.%]|ms|k|倍|个))",
        rf"[你您](?:现在|将|要|应该|应当|就)*(?:是|扮演|作为|充当|担任)[^。!?;]{{0,8}}(?:{_JUDGE}|面试官)",
        rf"(?:尊敬的|亲爱的|致)(?:各位)?{_JUDGE}",
        r"(?:^|[,。!?;:请])作为(?:一[个位名])?(?:评分(?:者|员|人|模型)|阅卷(?:人|者|员|老师|模型)|评委|考官|判卷(?:人|老师))",
        r"(?:give|assign|award|grant)(?:me|it|this|the|my|answer|candidate|response|an|a|every|each|keypoint|of)*"
        r"(?:full|maximum|max|perfect|highest|top|100)(?:possible|%|percent)*(?:score|mark|credit|grade|point|level|/100)",
        r"(?:output|return|reply|respond|print)(?:with|only|just|the|an|a|of)*(?:score|level|grade|verdict)s?[:=]?(?:of|as)?"
        r"(?:100|5|full|met|max)(?!\.?[0-9])",
        r"(?:score|mark|grade|rate|give)[^.!?;]{0,20}(?:5/5|10/10|100/100|5outof5|100outof100)",
        r"(?:mark|label|judge|grade|consider)(?:all|every|each|the|of|these|key_?points?|points?|criteria|slots?|it|this|answer)+"
        r"(?:as|to)?(?:met|correct|full|satisfied|passed)",
        r"(?:youare|youre|actas|pretendtobe|dear|asthe)(?:now|an|a|the|my|very|generous|lenient|kind|fair|friendly)*"
        r"(?:grader|judge|examiner|evaluator|scorer|assessor)",
        r"(?:system|assistant|developer)(?:message|prompt|note|notice|override|update)?:(?:the|this)?"
        r"(?:candidate|answer|response|grader|judge|scor|rubric|grading|评分|考生|作答|回答|答案|满分)",
        r"(?<![a-z0-9])<[|/]*(?:answer|question|key_points|system|reference|rubric|instruction)",
        r"<\|im_start\|?(?:system|user|assistant)|\[/?(?:inst|system|sys|enddata|begindata)\]",
        r"verdicts?:(?:partly_?met|met|correct|all|full|[\[{])|(?:key_?points|key_?point_?id|overclaims):[\[{a-z0-9]",
        r"(?:以下|下面|本段|这段|上述|以上)(?:内容)?(?:是|为|来自)?(?:系统|管理员|开发者|评分标准|评委|官方评分)"
        r"(?:的|发布|评分|最新)*(?:消息|指令|通知|说明|提示(?!词)|更新|公告)",
        r"(?:这|该|此|本|我的)(?:份|个|条|段|道题的)?(?:回答|答案|作答)[^。!?;]{0,12}"
        r"(?:应得|必得|满分|给分|完全正确|(?:覆盖|命中|满足)了?(?:所有|全部|每一?个)?的?(?:采分点|得分点|评分点|要点))",
    )
)
"""Over folded text without spaces; each says what a candidate has no reason to say to anybody but
the judge. A word such as score, level, system or judge alone is a word of the field."""


def unanswered(answer: str, stem: str) -> tuple[Flag, ...]:
    """Return why an answer says nothing, or nothing if it says something.

    Decided without a judge: lone tokens and refusals were seen to pass language-model judges.
    An unpunctuated Chinese answer is content; words are never counted by spaces.
    """
    plain = _letters(answer)
    if len(set(plain)) < 2 or _NO_ANSWER.fullmatch(plain):
        return (Flag.NO_CONTENT,)
    pairs, asked = _pairs(plain), set(_pairs(_letters(stem)))
    echoes = bool(pairs) and sum(pair in asked for pair in pairs) / len(pairs) >= ECHO
    if echoes and not calculates(answer):
        return (Flag.NO_CONTENT, Flag.ECHO)
    return ()


def calculates(text: str) -> bool:
    """Say whether a text does sums: it may repeat the numbers of the question and be no echo."""
    return bool(_SUM.search(fold(text).text))


def addresses_the_judge(text: str) -> bool:
    """Say whether a piece of an answer speaks to the judge instead of answering."""
    folded = fold(text).text.replace(" ", "")
    return any(pattern.search(folded) for pattern in _INJECTION)


def _letters(text: str) -> str:
    return _NOT_WORD.sub("", fold(text).text).replace("_", "")


def _pairs(text: str) -> list[str]:
    return [text[index : index + 2] for index in range(len(text) - 1)]
