import pytest
pytestmark = pytest.mark.ui
def test_x(open_page, begin, answered, services):
    at = open_page()
    print([n for n in dir(at) if not n.startswith("_")])
    print(at.get("button_group"), [ (b.label,b.value,b.options) for b in at.button_group], [n.label for n in at.number_input], [r.label for r in at.radio], [t.label for t in at.text_input])
    s=answered(S01="不必重算", S02="不知道")
    at=open_page("report",session=s.id)
    for e in at.main: pass
    def walk(b):
        for c in b.children.values():
            yield c
            if hasattr(c,"children"): yield from walk(c)
    for e in walk(at.main):
        print(type(e).__name__, e.type, getattr(e,"label",None), str(getattr(e,"value",None))[:60] if e.type not in("imgs",) else "")
    print(at.get("progress")[0].proto, at.get("download_button")[0], at.get("page_link")[0].proto)
