"""Taking one's data along, and deleting it: database, banks, index and recordings together."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.adapters.bank_files import bank_files
from bot.errors import IndexUnavailableError

if TYPE_CHECKING:
    from bot.bootstrap.services import Services

README = """这里是 mockbot 为你保存的全部数据。

data/*.json   数据库里的每张表，一行一个对象；turns.json 是作答与评分。
banks/        你自己的题库，YAML，可以放进数据文件夹的 banks/ 或再次导入。
audio/        保存的录音（如果打开了 BOT_KEEP_AUDIO）。

不包含密钥：页面上填写的密钥从不保存。
"""


def export(services: Services) -> bytes:
    """Return everything of the owner as a zip file. Raises `StoreError` or `SpeechError`."""
    packed = io.BytesIO()
    own = services.store.own_data
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("README.txt", README)
        for name, rows in own.tables():
            file.writestr(f"data/{name}.json", json.dumps(rows, ensure_ascii=False, indent=1))
        for bank in services.banks.stored():
            for name, text in bank_files(bank):
                file.writestr(f"banks/{bank.id}/{name}", text)
        recordings = services.voice.recordings
        for session_id in own.session_ids():
            for path in recordings.of_session(session_id):
                file.write(path, f"audio/{session_id}/{path.name}")
    return packed.getvalue()


def delete(services: Services) -> None:
    """Delete everything of the owner; only numbers of usage remain, under a number for a name.

    Raises `StoreError` or `SpeechError`.
    """
    own = services.store.own_data
    banks = tuple(services.store.banks.in_place())
    for bank_id in banks:
        # An index that cannot be reached holds passages that nobody can ask for any more.
        with suppress(IndexUnavailableError):
            services.for_bank(bank_id).parts.forget_index()
    recordings = services.voice.recordings
    for session_id in own.session_ids():
        recordings.delete(session_id)
    own.delete()
    for bank_id in banks:
        services.forget_bank(bank_id)
