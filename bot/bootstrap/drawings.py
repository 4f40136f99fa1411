"""Reading a drawing from a picture, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.pictures import as_png
from bot.errors import ConfigError
from bot.services.picturing import read_picture

if TYPE_CHECKING:
    from bot.bootstrap.services import Services
    from bot.prompts.picture import PictureText


def read_drawing(services: Services, content: bytes) -> PictureText:
    """Return what a picture shows as Mermaid text, read by the model that can see.

    Raises `PictureError` for a file that cannot be taken, and as `read_picture` does.
    """
    chat = services.models.vision_chat
    if chat is None:
        raise ConfigError("没有配置能看图的模型；请设置 BOT_VISION_MODEL，或直接写文字、Mermaid。")
    services.charge()
    return read_picture(chat, as_png(content), gate=services.models.spending)
