"""The one place where ports meet adapters."""

from bot.bootstrap.services import Services
from bot.bootstrap.shipped import shipped

__all__ = ["Services", "shipped"]
