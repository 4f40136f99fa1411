"""A picture that somebody uploaded: decoded, bounded, and written anew without what hangs on it."""

from __future__ import annotations

import io
import warnings

from bot.errors import PictureError

LARGEST = 5 << 20
"""Bytes of a file."""

MOST_PIXELS = 40_000_000
"""A phone's photograph has up to about 50 million at its finest, and 12 by default."""

LONGEST_SIDE = 2_000
"""Pixels that are sent to a model; larger pictures are made smaller, for models do so too."""

FORMATS = ("PNG", "JPEG", "WEBP")


def as_png(content: bytes) -> bytes:
    """Return a picture as a PNG of its pixels alone, upright and not larger than models take.

    Raises `PictureError` for anything but a sound PNG, JPEG or WebP within the limits.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    if len(content) > LARGEST:
        raise PictureError(
            f"图片有 {len(content) / (1 << 20):.1f} MiB，上限是 {LARGEST >> 20} MiB；"
            "请缩小后重新上传。"
        )
    try:
        with warnings.catch_warnings():
            # Pillow warns of what is refused below.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            opened = Image.open(io.BytesIO(content), formats=FORMATS)
        size = opened.size
        is_small = size[0] * size[1] <= MOST_PIXELS
        picture = ImageOps.exif_transpose(opened).convert("RGBA") if is_small else None
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise PictureError("这不是大小合适的 PNG、JPEG 或 WebP 图片；请换一张再上传。") from error
    except Exception as error:  # a decoder of a broken file raises nearly anything
        raise PictureError("这张图片损坏了，无法解码；请重新导出后再上传。") from error
    if picture is None:
        raise PictureError(f"图片有 {size[0]}×{size[1]} 像素，太大了；请缩小后重新上传。")
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    paper = Image.new("RGB", picture.size, "white")
    paper.paste(picture, mask=picture.getchannel("A"))
    written = io.BytesIO()
    paper.save(written, "PNG")
    return written.getvalue()
