"""Office files as the zip archives they are: told apart, and refused when they are dangerous."""

from __future__ import annotations

import io
import zipfile
from enum import Enum

from bot.adapters.documents import limits
from bot.errors import ImportFileError


class Office(Enum):
    """What an archive holds."""

    WORD = "word/document.xml"
    EXCEL = "xl/workbook.xml"


def office_kind(name: str, content: bytes) -> Office:
    """Return what the archive holds, after it was found harmless.

    Sizes are those that the archive declares; `zipfile` never unpacks more of a member than that.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _require_bounded(name, members)
            _require_harmless(name, archive, members)
            names = {member.filename for member in members}
    except ImportFileError:
        raise
    except Exception as error:  # zipfile raises what the broken archive makes it meet
        raise ImportFileError(f"{name}：文件已损坏，打不开；请重新导出或另存一份。") from error
    for kind in Office:
        if kind.value in names:
            return kind
    raise ImportFileError(
        f"{name}：是压缩包或不支持的 Office 文件；请解压后导入，或另存为 DOCX、XLSX。"
    )


def _require_bounded(name: str, members: list[zipfile.ZipInfo]) -> None:
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if (
        len(members) > limits.MOST_MEMBERS
        or total > limits.LARGEST_UNZIPPED
        or total > limits.LARGEST_RATIO * max(packed, limits.MIB // limits.LARGEST_RATIO)
    ):
        raise ImportFileError(
            f"{name}：解压后异常地大（{total // limits.MIB} MiB，{len(members)} 个部分），"
            "可能是压缩炸弹，未打开；请另存为 CSV 或纯文本再导入。"
        )


def _require_harmless(name: str, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> None:
    for member in members:
        lower = member.filename.casefold()
        if lower.endswith("vbaproject.bin"):
            raise ImportFileError(_macro(name))
        if member.flag_bits & 1:
            raise ImportFileError(f"{name}：文件有密码；请去掉密码后另存一份。")
        if lower.endswith((".xml", ".rels")):
            text = archive.read(member)
            if b"macroEnabled" in text[: 64 * 1024] and lower == "[content_types].xml":
                raise ImportFileError(_macro(name))
            if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
                raise ImportFileError(
                    f"{name}：文件里有不该出现的 XML 实体声明，未打开；请另存一份。"
                )


def _macro(name: str) -> str:
    return f"{name}：带宏的 Office 文件不导入；请另存为不带宏的 .docx 或 .xlsx。"
