"""Whether a page that several people share can be opened."""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SECRETS = Path(".streamlit") / "secrets.toml"
_NEEDED = ("redirect_uri", "cookie_secret")


def problem_of_sign_in() -> str | None:
    """Return why nobody could sign in, in a sentence, or None.

    Streamlit would only say so when somebody presses the button.
    """
    if find_spec("authlib") is None:
        return (
            "多人模式需要登录组件；请运行 pip install 'mockbot[server]'，或设置 BOT_SHARED=false。"
        )
    for path in (Path.cwd() / _SECRETS, Path.home() / _SECRETS):
        if path.is_file():
            return _problem_in(path)
    return (
        "多人模式（BOT_SHARED=true）需要登录服务：请在 .streamlit/secrets.toml 里写 [auth]"
        "（见 docs/operations.md），或设置 BOT_SHARED=false。"
    )


def _problem_in(path: Path) -> str | None:
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get("auth")
    except (OSError, ValueError):
        return f"{path}：读不了，或不是 TOML；请对照 docs/operations.md 修改。"
    if not isinstance(section, dict):
        return f"{path}：没有 [auth]；请对照 docs/operations.md 填写登录服务。"
    missing = [name for name in _NEEDED if not section.get(name)]
    if missing:
        return f"{path}：[auth] 里缺少 {'、'.join(missing)}；请对照 docs/operations.md 填写。"
    return None
