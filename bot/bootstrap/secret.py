"""The secret of this installation: the fence around a candidate's text is derived from it."""

from __future__ import annotations

import secrets
from pathlib import Path

from bot.errors import ConfigError

SECRET_FILE = "installation.key"  # noqa: S105 - the name of the file


def installation_secret(data_dir: Path) -> str:
    """Return the secret kept in the data folder, made at the first use. Raises `ConfigError`."""
    path = data_dir / SECRET_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may begin together: only one can make the file.
        try:
            with path.open("x", encoding="ascii") as file:
                path.chmod(0o600)
                file.write(secrets.token_hex(16))
        except FileExistsError:
            pass
        found = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}：无法读写；请检查 BOT_DATA_DIR 的权限，或删除这个文件后重试。"
        ) from error
    if not found:
        raise ConfigError(f"{path}：文件是空的；请删除它后重试。")
    return found
