"""Understanding a question document (导入): pure, from what a reader read to a preview."""

from __future__ import annotations

from bot.domain.document import Document
from bot.domain.question import Term
from bot.errors import ImportFileError
from bot.services.drafts import Found, ImportPreview, preview_of
from bot.services.line_questions import questions_in
from bot.services.record_questions import record_questions, table_questions

HOW = (
    "支持 Q01./参考回答：、问：/答：、Markdown 标题、编号加“答：”，"
    "以及有“题目”“答案”列（键）的表格与 JSON"
)


def understand(document: Document) -> ImportPreview:
    """Return the draft questions of a document, and what was left out and why.

    Of two readings of one file the one with more questions is kept. Raises `ImportFileError`
    when there is no question, or more than a bank may have.
    """
    previews = [_understand(document)]
    if document.other is not None:
        previews.append(_understand(document.other))
    best = max(previews, key=lambda one: len(one.drafts))
    if not best.drafts:
        reasons = dict.fromkeys(one.reason for one in best.skipped)
        why = "；".join(list(reasons)[:3]) or ("只有术语" if best.terms else "文件里没有内容")
        raise ImportFileError(f"{document.name}：没有可以导入的题目（{why}）。{HOW}。")
    return best


def _understand(document: Document) -> ImportPreview:
    found: list[Found] = []
    skipped = list(document.skipped)
    terms: list[Term] = []
    taken = record_questions(document.records)
    for table in document.tables:
        taken += table_questions(table)
    for one in taken:
        match one:
            case Found():
                found.append(one)
            case Term():
                terms.append(one)
            case _:
                skipped.append(one)
    in_lines, left = questions_in(document.lines, is_wrapped=document.is_wrapped)
    return preview_of(document.name, [*in_lines, *found], [*skipped, *left], terms=terms)
