"""Question documents as people have them: text, tables, Office files, PDF, JSON and YAML."""

from bot.adapters.documents.reader import FileDocuments

__all__ = ["FileDocuments"]
