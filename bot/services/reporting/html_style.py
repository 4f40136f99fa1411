"""The style of the HTML report: light and dark, phone and paper."""

STYLE = """
:root { color-scheme: light dark;
  --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --page: #ffffff; --shade: #f6f8fa;
  --link: #0550ae; --bar: #0969da; --note: #fff8c5;
  --good: #d2f4d9; --good-edge: #1a7f37; --part: #fbeeb5; --part-edge: #9a6700;
  --bad: #ffd8d6; --bad-edge: #cf222e; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9da7b3; --line: #3d444d; --page: #0d1117; --shade: #161b22;
    --link: #79c0ff; --bar: #4493f8; --note: #3a2d07;
    --good: #12361d; --good-edge: #3fb950; --part: #3d2f06; --part-edge: #d29922;
    --bad: #4a1619; --bad-edge: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.7;
  font-family: system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC",
    "Source Han Sans SC", sans-serif; overflow-wrap: anywhere; }
main, footer { max-width: 52rem; margin: 0 auto; padding: 1rem 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.3; margin: .5rem 0 1rem; }
h2 { font-size: 1.3rem; line-height: 1.4; margin: 2.2rem 0 .6rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.1rem; line-height: 1.5; margin: 1.6rem 0 .5rem; }
h3 + * { margin-top: 0; }
p, ul, blockquote, table, dl { margin: .6rem 0; }
ul { padding-left: 1.3rem; }
li { margin: .15rem 0; }
a { color: var(--link); }
.text { white-space: pre-line; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: .1rem 1.5rem; }
dl div { display: flex; gap: .6rem; }
dt { color: var(--soft); flex: 0 0 auto; min-width: 4em; }
dd { margin: 0; }
.notice { background: var(--note); border-left: 4px solid var(--part-edge); padding: .5rem .8rem; }
.lead { margin-bottom: .2rem; }
blockquote { white-space: pre-wrap; background: var(--shade); border-left: 4px solid var(--line);
  padding: .6rem .9rem; margin-left: 0; margin-right: 0; line-height: 1.95; }
mark { color: inherit; border-radius: 3px; padding: .1em .15em;
  -webkit-box-decoration-break: clone; box-decoration-break: clone; }
mark.good { background: var(--good); border-bottom: 2px solid var(--good-edge); }
mark.part { background: var(--part); border-bottom: 2px dashed var(--part-edge); }
mark.bad { background: var(--bad); text-decoration: underline wavy var(--bad-edge);
  text-underline-offset: .2em; }
sup { font-size: .72em; color: var(--soft); margin: 0 .35em 0 .2em; line-height: 0;
  white-space: nowrap; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .5rem;
  border-bottom: 1px solid var(--line); }
th { background: var(--shade); font-weight: 600; }
.bar { display: block; height: .35rem; margin-top: .2rem; background: var(--line);
  border-radius: 3px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--bar); }
footer { color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); }
@media (max-width: 30rem) {
  main, footer { padding: .75rem .9rem; }
  table { font-size: .85rem; }
  th, td { padding: .35rem .3rem; }
}
@media print {
  body { font-size: 10.5pt; line-height: 1.6; }
  main, footer { max-width: none; padding: 0; }
  h1 { font-size: 18pt; } h2 { font-size: 14pt; } h3 { font-size: 12pt; }
  h1, h2, h3, .lead, dl { break-after: avoid; }
  p, li { orphans: 3; widows: 3; }
  tr, .notice { break-inside: avoid; }
  thead { display: table-header-group; }
  a { color: inherit; text-decoration: none; }
  mark, .bar, .bar i, th, blockquote, .notice {
    -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
@page { size: A4; margin: 18mm 16mm;
  @bottom-right { content: counter(page) " / " counter(pages); font-size: 9pt; color: #59636e; } }
""".strip()
"""Colours have a contrast of at least 4.5 to 1 on their ground; no mark is told by colour alone."""
