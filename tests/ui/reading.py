"""What a page says, read from the simulated browser."""

from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block


def shown(at: AppTest) -> str:
    """Return everything the page says, one element a line; Markdown and HTML as they were sent."""
    return "\n".join(line for element in _elements(at.main) for line in _lines(element) if line)


def written(at: AppTest) -> list[str]:
    """Return what goes through Markdown, where signs could become something else."""
    return [one.value for one in (*at.markdown, *at.caption)]


def _elements(block: Block) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if isinstance(child, Block):
            yield from _elements(child)


def _lines(element: Any) -> Iterator[str]:
    proto = element.proto
    for name in ("label", "body", "text"):
        if isinstance(said := getattr(proto, name, None), str):
            yield said
    if element.type == "table":
        yield element.value.to_string()
