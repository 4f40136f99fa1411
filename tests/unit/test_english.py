"""The English interface: every text of the pages, and every error, is in the catalogue."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

import bot.errors
from bot.i18n.catalogue import CHINESE_SIGNS, FOLDER, PLACEHOLDER, entries, sentence, translated

ROOT = Path(__file__).parents[2]
IDEOGRAPH = re.compile("[\u3400-\u9fff]")

# Shown as it is in both languages: an example of Mermaid, the way back, and answers of the tour.
DATA = ("```mermaid\n", "中文", "先说结论：量化", "量化涉及 INT8")

# Quoted from questions and answers, which stay Chinese.
QUOTED = re.compile(
    r"“[^”]*”|KV 显存怎么算|问：KV.*追问：……|不必重算.*|读\\~权重|逐个\|一个一个", re.DOTALL
)


# Their functions return texts that `t` gets where they are shown.
TOLD_LATER = {"chosen.py", "effective_settings.py", "model_settings.py"}

# Sentences that code joins from several texts.
JOINED = {
    "{total} token（输入 {prompt}{cached}；输出 {reply}）{money}",
    "{total} token（输入 {prompt}，其中缓存 {cached}；输出 {reply}）{money}",
    "评为 {level} 级，应在 {low}–{high} 级，绝对化断言{how}",
    "，约 {amount} 元",
    "含思考",
}


def test_every_text_of_the_pages_goes_through_t():
    bare = [
        f"{path.relative_to(ROOT)}:{node.lineno} {text}"
        for path in _files("bot/ui")
        if path.name not in TOLD_LATER
        for node, text, is_spoken in _texts(path)
        if IDEOGRAPH.search(text) and not is_spoken and not text.startswith(DATA)
    ]

    assert bare == []


def test_every_text_of_the_pages_is_in_the_catalogue():
    missing = {
        text
        for path in _files("bot/ui")
        for node, text, _ in _texts(path)
        if CHINESE_SIGNS.search(text) and not text.startswith(DATA)
        if text not in (_known() if isinstance(node, ast.JoinedStr) else entries())
    }

    assert missing == set()


def test_every_error_that_a_page_may_show_is_in_the_catalogue():
    missing = {
        text
        for path in _files("bot")
        if path.parent.name != "cli"
        for text in _raised(path)
        if IDEOGRAPH.search(text) and _same(text) not in _known()
    }

    assert missing == set()


def test_nothing_in_the_catalogue_is_unused():
    said = {_same(text) for path in _files("bot") for text in _all_texts(path)}
    said |= {one for path in (ROOT / "rubrics").rglob("*.yaml") for one in _values(path)}
    unused = {one for one in entries() if _same(one) not in said} - JOINED

    assert unused == set()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda one: one.stem)
def test_both_sides_of_an_entry_agree(path: Path):
    for chinese, english in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        assert set(PLACEHOLDER.findall(chinese)) == set(PLACEHOLDER.findall(english)), chinese
        assert not IDEOGRAPH.search(QUOTED.sub("", english)), english
        assert english.strip() or not chinese.strip(), chinese


def test_no_entry_stands_in_two_files():
    read = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.yaml")]

    assert sum(map(len, read)) == len(entries())


def test_a_template_is_filled_in_either_language():
    assert translated("第 {count} / {total} 题", "zh", count=2, total=3) == "第 2 / 3 题"
    assert translated("第 {count} / {total} 题", "en", count=2, total=3) == "Question 2 of 3"


def test_a_finished_sentence_is_recognised_by_its_template():
    assert sentence("第 2 / 3 题") == "Question 2 of 3"
    assert sentence("Q04 · 前提/代价") == "Q04 · Conditions/costs"
    assert sentence("评过分的题还不够：B（0/3）、C（1/3）") == (
        "too few graded questions: B (0/3), C (1/3)"
    )


def test_a_sentence_of_several_templates_is_recognised():
    assert sentence("1,550 token（输入 1,231，其中缓存 1,024；输出 319），约 0.0021 元") == (
        "1,550 tokens (input 1,231, of it cached 1,024; output 319), about CNY 0.0021"
    )


def test_what_is_not_known_stays_as_it_is():
    assert sentence("显存：按块分配（读写不变）") == "显存：按块分配（读写不变）"


def _files(folder: str) -> Iterator[Path]:
    yield from sorted((ROOT / folder).rglob("*.py"))


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_same, entries()))


def _same(text: str) -> str:
    """Return a text in which placeholders have no names: code and catalogue may differ there."""
    return re.sub(r"\{[^{}]*\}", "{}", text)


def _texts(path: Path) -> Iterator[tuple[ast.expr, str, bool]]:
    """Give the texts in functions and constants of a page, and whether `t` or a constant has it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from _spoken(tree, is_spoken=True)


def _spoken(  # noqa: C901 - one case for each kind of node
    node: ast.AST, *, is_spoken: bool
) -> Iterator[tuple[ast.expr, str, bool]]:
    match node:
        case ast.Constant(value=str() as text):
            yield node, text, is_spoken
            return
        case ast.JoinedStr():
            yield node, _template(node), is_spoken
        case ast.FunctionDef():
            for one in (*node.decorator_list, node.args):
                yield from _spoken(one, is_spoken=True)
            for one in node.body:
                yield from _spoken(one, is_spoken=False)
            return
        case ast.Expr(value=ast.Constant()):
            return  # a docstring
        case ast.Raise():
            return
        case ast.Call(func=ast.Name(id="t"), args=[first, *_]):
            yield from _spoken(first, is_spoken=True)
            for one in node.keywords:
                yield from _spoken(one.value, is_spoken=is_spoken)
            return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
            yield from _spoken(child, is_spoken=is_spoken)


def _all_texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Constant(value=str() as text):
                yield text
            case ast.JoinedStr():
                yield _template(node)


def _raised(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in bot.errors.__all__:
                for one in ast.walk(first):
                    match one:
                        case ast.JoinedStr():
                            yield _template(one)
                        case ast.Constant(value=str() as text) if one is first:
                            yield text


def _template(node: ast.JoinedStr) -> str:
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
    )


def _values(path: Path) -> Iterator[str]:
    def walk(found: object) -> Iterator[str]:
        match found:
            case str():
                yield _same(found)
            case dict():
                for one in found.values():
                    yield from walk(one)
            case list():
                for one in found:
                    yield from walk(one)

    yield from walk(yaml.safe_load(path.read_text(encoding="utf-8")))
