"""PDF files with Chinese text, written by hand: no font and no other library is needed."""

from __future__ import annotations

import io

from pypdf import PdfReader, PdfWriter

MARGIN, LEADING = 800, 16


def pdf(*pages: str, width: int = 40, password: str | None = None) -> bytes:
    """Return a PDF with these texts, lines broken after so many characters as a program would."""
    characters = sorted({char for page in pages for char in page if char != "\n"})
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>"
        % (len(pages), b" ".join(b"%d 0 R" % (6 + 2 * at) for at in range(len(pages)))),
        b"<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H"
        b"/DescendantFonts[4 0 R]/ToUnicode 5 0 R>>",
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Any"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000>>",
        _stream(_to_unicode(characters)),
    ]
    for at, page in enumerate(pages):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]"
            b"/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>" % (7 + 2 * at)
        )
        objects.append(_stream(_content(page, width)))
    content = _file(objects)
    return content if password is None else _locked(content, password)


def _content(page: str, width: int) -> str:
    lines = [
        line[start : start + width]
        for line in page.split("\n")
        for start in range(0, len(line) or 1, width)
    ]
    shown = [
        f"1 0 0 1 40 {MARGIN - LEADING * at} Tm <{line.encode('utf-16-be').hex()}> Tj"
        for at, line in enumerate(lines)
        if line
    ]
    return "BT /F 11 Tf\n" + "\n".join(shown) + "\nET"


def _to_unicode(characters: list[str]) -> str:
    pairs = [f"<{ord(char):04x}> <{ord(char):04x}>" for char in characters]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    maps = "\n".join(
        f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{maps}\nendcmap end end"
    )


def _stream(text: str) -> bytes:
    data = text.encode("ascii")
    return b"<</Length %d>>stream\n%s\nendstream" % (len(data), data)


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, one in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)


def _locked(content: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()
