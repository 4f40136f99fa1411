"""Embeds the passages of the shipped banks, so that a first start embeds nothing.

Run it after a change to the corpus: `python tools/make_vectors.py`.
"""

from __future__ import annotations

from pathlib import Path

from bot.adapters.e5 import E5Embeddings, write_vectors
from bot.adapters.yaml_banks import YamlBanks
from bot.services.indexing import passages

CORPUS = Path(__file__).resolve().parent.parent / "corpus"

if __name__ == "__main__":
    banks = YamlBanks(CORPUS)
    for name in banks.names():
        path = CORPUS / name / "vectors.npz"
        embeddings = E5Embeddings(path)
        write_vectors(path, [one.text for one in passages(banks.load(name))], embeddings)
        print(f"{path}: {embeddings.computed} computed, {embeddings.reused} kept")
