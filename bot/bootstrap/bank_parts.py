"""What is made of one bank: its judge, its index, its plans and its voice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bot.adapters.words import TermWords, words
from bot.bootstrap.index_state import IndexState
from bot.bootstrap.voice import Voice
from bot.domain.bank import Bank
from bot.offline.generic import Generic
from bot.offline.judge import OfflineJudge, references_of, terms_of, texts_of

if TYPE_CHECKING:
    from bot.adapters.chroma_index import ChromaIndex
    from bot.bootstrap.commons import Commons
    from bot.services.indexing import Retrieval
    from bot.services.planning import Planner


@dataclass(frozen=True)
class BankParts:
    """Costly parts, made when they are first used; all owners who see the bank share them."""

    commons: Commons
    bank: Bank
    space: str = ""
    """Keeps the index of an owner's bank apart from that of another owner's with the same name."""

    @cached_property
    def index_state(self) -> IndexState:
        """Return how far the index is."""
        return IndexState(self.commons.clock)

    @cached_property
    def offline_judge(self) -> OfflineJudge:
        """Return the judge that needs no model."""
        return OfflineJudge(
            terms_of([self.bank]),
            self.commons.lexicon,
            Generic(words),
            texts_of(self.bank),
            references_of(self.bank),
        )

    @cached_property
    def voice(self) -> Voice:
        """Return what hears and speaks."""
        return Voice(settings=self.commons.settings, bank=lambda: self.bank)

    @cached_property
    def index(self) -> ChromaIndex:
        """Return the index in Chroma, which is opened at the first use."""
        from bot.adapters.chroma_index import ChromaIndex
        from bot.adapters.e5 import E5Embeddings

        embeddings = E5Embeddings(self.commons.vectors_of(self.bank.id))
        return ChromaIndex(self.commons.settings.index_place, embeddings, space=self.space)

    @cached_property
    def retrieval(self) -> Retrieval:
        """Return search and reference look-up; Chroma is opened at the first use."""
        from bot.adapters.bm25 import Bm25
        from bot.services.indexing import Retrieval, entries

        return Retrieval(
            bank=self.bank,
            index=self.index,
            lexical=Bm25(tuple(entries(self.bank)), TermWords(self.bank.terms)).search,
        )

    def forget_index(self) -> None:
        """Drop the index of an owner's bank; that of a shared one stays.

        Raises `IndexUnavailableError`.
        """
        if self.space:
            self.index.drop(self.bank.id)

    @cached_property
    def planner(self) -> Planner:
        """Return what makes study plans; readers of documents are loaded at their first use."""
        from bot.adapters.documents import FileDocuments
        from bot.services.planning import Planner

        return Planner(
            bank=self.bank, words=words, reader=FileDocuments(), clock=self.commons.clock
        )
