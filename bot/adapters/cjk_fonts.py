"""Fonts of this machine that a PDF report can be set in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bot.errors import ConfigError, FontMissingError

FOLDERS = (
    Path.home() / ".local/share/fonts",
    Path.home() / ".fonts",
    Path.home() / "Library/Fonts",
    Path.home() / "AppData/Local/Microsoft/Windows/Fonts",
    Path("/usr/local/share/fonts"),
    Path("/usr/share/fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
)
"""Where systems keep fonts; one's own come first."""

_CHINESE = (
    "NotoSansCJK-Regular",
    "NotoSansCJKsc-Regular",
    "NotoSansSC-Regular",
    "SourceHanSansSC-Regular",
    "SourceHanSansCN-Regular",
    "SourceHanSans-Regular",
    "PingFang",
    "Hiragino Sans GB",
    "msyh",
    "wqy-microhei",
    "STHeiti Light",
    "Deng",
    "simhei",
    "wqy-zenhei",
    "Arial Unicode",
    "NotoSerifCJK-Regular",
    "NotoSerifSC-Regular",
    "Songti",
    "simsun",
    "uming",
    "ukai",
    "DroidSansFallbackFull",
    "DroidSansFallback",
    "NotoSansSC[wght]",
    "NotoSansCJK-VF",
)
"""Names of files without their ends, the better ones first: legible at small sizes, complete."""

_OTHERS = (
    "DejaVuSans",
    "NotoSansSymbols2-Regular",
    "NotoSansMath-Regular",
    "NotoSansSymbols-Regular",
    "seguisym",
    "Apple Symbols",
    "Arial Unicode",
    "LiberationSans-Regular",
    "arial",
    "NotoEmoji-Regular",
)
"""For signs that a Chinese font lacks."""

_ENDS = frozenset({".ttf", ".ttc", ".otf", ".otc"})
_SIMPLIFIED = ("SC", "CN", "GB", "Simplified", "YaHei", "PingFang SC")
PROBE = frozenset(map(ord, "的分说评"))
"""A font without these is no Chinese one."""

_MISSING = (
    "没有找到带中文的字体，写不了 PDF；请安装一种（如 Noto Sans CJK），"
    "或把字体文件的路径写进 BOT_PDF_FONT；也可以导出 HTML，用浏览器打开后打印成 PDF。"
)


class Font(NamedTuple):
    """A font file, and which face of it if it holds several."""

    path: Path
    number: int = 0


def why_no_pdf(
    chosen: Path | None, folders: Sequence[Path]
) -> ConfigError | FontMissingError | None:
    """Return what to tell where there is no font for Chinese, or None where there is one.

    A font that was chosen is read; of others the name of the file will do.
    """
    if chosen is None:
        return None if _found(folders, _CHINESE) else FontMissingError(_MISSING)
    return None if any(usable_fonts(chosen, folders)) else unusable(chosen)


def unusable(chosen: Path | None) -> ConfigError | FontMissingError:
    """Return what to tell where no font could be used."""
    if chosen is None:
        return FontMissingError(_MISSING)
    return ConfigError(
        f"BOT_PDF_FONT：{chosen} 不是带中文的字体文件（TTF、TTC 或 OTF）；"
        "请换一个，或留空自动寻找。"
    )


def usable_fonts(chosen: Path | None, folders: Sequence[Path]) -> Iterator[Font]:
    """Give the font that was chosen, or those of the folders, best first, if they have Chinese."""
    paths = _found(folders, _CHINESE) if chosen is None else [chosen]
    for path in paths:
        font = Font(path, simplified_face(path))
        if characters(font) >= PROBE:
            yield font


def other_fonts(folders: Sequence[Path]) -> Iterator[Font]:
    """Give fonts with signs that Chinese fonts lack."""
    yield from (Font(path) for path in _found(folders, _OTHERS))


def simplified_face(path: Path) -> int:
    """Return the face of a collection that has simplified Chinese; 0 where none says so."""
    from fontTools.ttLib import TTCollection, TTLibError  # type: ignore[import-untyped] # has none

    if path.suffix.lower() not in (".ttc", ".otc"):
        return 0
    try:
        # The file is opened here: one that is no font would be left open otherwise.
        with path.open("rb") as file, TTCollection(file, lazy=True) as collection:
            names = [str(face["name"].getDebugName(1) or "") for face in collection.fonts]
    except (TTLibError, OSError, KeyError):
        return 0  # it will not be read as a font either
    return next((at for at, name in enumerate(names) if _is_simplified(name)), 0)


def characters(font: Font) -> frozenset[int]:
    """Return the code points that the font has; none when it cannot be read."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with font.path.open("rb") as file, TTFont(file, fontNumber=font.number, lazy=True) as face:
            return frozenset(face.getBestCmap() or ())
    except (TTLibError, OSError, KeyError, AssertionError):
        return frozenset()


def _is_simplified(name: str) -> bool:
    return any(mark in name for mark in _SIMPLIFIED) and "Mono" not in name


def _found(folders: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """Return the files with these names, in the order of the names, then of the folders."""
    ranks = {name.lower(): rank for rank, name in enumerate(names)}
    found = [
        (rank, path)
        for folder in folders
        if folder.is_dir()
        for path in folder.rglob("*")
        if path.suffix.lower() in _ENDS and (rank := ranks.get(path.stem.lower())) is not None
    ]
    return [path for _, path in sorted(found, key=lambda one: one[0])]
