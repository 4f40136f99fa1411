"""The command `mockbot`."""

from __future__ import annotations

import json
import runpy
import socket
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console

from bot.errors import BotError
from bot.settings import read_settings, unknown_variables

if TYPE_CHECKING:
    from bot.bootstrap import Services
    from bot.domain.session import Session
    from bot.services.external import ExternalSet
    from bot.settings import Settings

DONE, SOME_UNGRADED, COULD_NOT_RUN = 0, 1, 2
JUDGE_HELP = "offline 或 llm；默认：配置了模型就用模型"
REPLIES = Path("tests/gold/replies.jsonl")
"""The recorded replies of a checkout, found from its root."""

app = typer.Typer(
    name="mockbot",
    help="大模型推理模拟面试：出题、追问、按“结论 → 原因 → 前提/代价”评分。",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
sessions_app = typer.Typer()
app.add_typer(sessions_app, name="sessions")
data_app = typer.Typer(help="导出或删除一个用户的全部数据。", no_args_is_help=True)
app.add_typer(data_app, name="data")
rubric_app = typer.Typer(help="检查自己写的评分标准。", no_args_is_help=True)
app.add_typer(rubric_app, name="rubric")
_out = Console()
_err = Console(stderr=True)


def main() -> None:
    """Run the command line."""
    try:
        "".join(sys.argv).encode()
    except UnicodeEncodeError:
        _err.print("命令行里有不是 UTF-8 的文字；请用 UTF-8 的终端，或把作答存成 UTF-8 文件。")
        sys.exit(COULD_NOT_RUN)
    app()


def _plainly(command: Callable[..., None]) -> Callable[..., None]:
    """Turn our errors into one sentence on stderr and exit code 2."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BotError as error:
            _fail(str(error))

    return run


def _fail(sentence: str) -> NoReturn:
    _err.print(sentence, style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(COULD_NOT_RUN)


def _services() -> Services:
    # Imported here: `mockbot serve` has its page up sooner without it.
    from bot.bootstrap import Services

    settings = read_settings()
    for name in unknown_variables():
        _err.print(
            f"提示：环境变量 {name} 不是已知的设置，可能拼错了；请对照 .env.example。", markup=False
        )
    return Services(settings)


def _as_chosen(services: Services) -> Services:
    """Return the services with the rubrics that were chosen on the settings page."""
    from bot.bootstrap.choices import Choices

    chosen = services.store.preferences.load().chosen
    own = {one.rubric.id: one.rubric for one in services.store.rubrics.latest()}
    return services.with_choices(Choices(own=own, stands_in=chosen.rubrics)) if own else services


@app.command()
@_plainly
def serve(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="监听端口；默认 BOT_PORT")
    ] = None,
    host: Annotated[str | None, typer.Option(help="监听地址；默认 BOT_HOST")] = None,
) -> None:
    """打开网页（默认只在本机）。"""
    settings = read_settings()
    address, number = host or settings.host, port or settings.port
    _require_free(address, number)
    _require_sign_in(settings, address)
    options = {
        "server.address": address,
        "server.port": str(number),
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
    }
    _out.print(f"页面：http://{address}:{number}  （按 Ctrl+C 停止）", markup=False)
    # In this process: starting another one would import everything twice.
    sys.argv = ["streamlit", "run", str(_page()), *(f"--{k}={v}" for k, v in options.items())]
    runpy.run_module("streamlit", run_name="__main__")


def _require_sign_in(settings: Settings, address: str) -> None:
    """Refuse to share a server without a way to sign in; say so where everybody is one user."""
    from bot.cli.serving import LOOPBACK, problem_of_sign_in

    if settings.shared and (problem := problem_of_sign_in()) is not None:
        _fail(problem)
    if not settings.shared and address not in LOOPBACK:
        _err.print(
            f"提示：页面监听 {address}，而且不用登录：能打开它的人看到的是同一份记录，也共用同一个密钥；"
            "多人使用请设置 BOT_SHARED=true（见 docs/operations.md）。",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


def _page() -> Path:
    package = Path(__file__).parents[1]
    inside = package / "data" / "app.py"
    return inside if inside.is_file() else package.parent / "app.py"


def _require_free(address: str, number: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, number))
        except OSError as error:
            _fail(
                f"无法在 {address}:{number} 上打开页面（{error.strerror}）；"
                "请关掉占用它的程序，或用 `mockbot serve --port 端口` 换一个端口。"
            )


@app.command()
@_plainly
def grade(
    question: Annotated[str | None, typer.Option(help="题目 id，如 Q04")] = None,
    answer: Annotated[str | None, typer.Option(help="作答文字")] = None,
    answer_file: Annotated[
        str | None, typer.Option(help="作答所在的 UTF-8 文件；- 表示标准输入")
    ] = None,
    audio: Annotated[Path | None, typer.Option(help="作答的录音（需要 BOT_STT_MODEL）")] = None,
    input_file: Annotated[
        Path | None, typer.Option("--input", help="批量评分：JSONL，每行 id、question_id、answer")
    ] = None,
    output_file: Annotated[Path | None, typer.Option("--output", help="批量评分的输出")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="同时评多少份")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="接着上次中断的输出继续")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="重评输出里没有评成的")] = False,
    batch: Annotated[
        Path | None,
        typer.Option(help="批量接口的文件：没有 --output 时写出请求，有 --output 时读入回复"),
    ] = None,
    judge: Annotated[str | None, typer.Option(help=JUDGE_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="输出 JSON")] = False,
) -> None:
    """给一份或一批作答评分。"""
    if input_file is not None:
        from bot.cli.grade_many import Wish, grade_many

        wish = Wish(input_file, output_file, batch, judge, concurrency, resume, retry)
        if grade_many(_services(), wish, _err):
            raise typer.Exit(SOME_UNGRADED)
        return
    given = [one for one in (answer, answer_file, audio) if one is not None]
    if question is None or len(given) != 1:
        _fail("请给出 --question，以及 --answer、--answer-file、--audio 其中之一。")
    from bot.cli.judges import grader_of
    from bot.domain.grade import Grade
    from bot.domain.target import target_of

    services = _services()
    target = target_of(services.bank.find(question))
    if audio is not None:
        text = _said(services, audio, question)
    else:
        text = answer if answer is not None else _read_text(str(answer_file))
    outcome = grader_of(services, judge, _err).grade(question, target, text)
    if as_json:
        typer.echo(outcome.model_dump_json())
    elif isinstance(outcome, Grade):
        from bot.cli.terminal import print_grade

        print_grade(_out, outcome, target, services.rubrics[target.rubric_id])
    else:
        _out.print(f"未评分：{outcome.message}", markup=False)
    if not isinstance(outcome, Grade):
        raise typer.Exit(SOME_UNGRADED)


@app.command()
@_plainly
def transcribe(
    file: Annotated[Path, typer.Argument(help="录音：WAV、MP3、M4A、OGG、WebM、FLAC")],
    question: Annotated[str | None, typer.Option(help="题目 id：转写时提示它的术语")] = None,
) -> None:
    """把录音转写成文字（需要 BOT_STT_MODEL）。"""
    typer.echo(_said(_services(), file, question))


def _said(services: Services, audio: Path, question: str | None) -> str:
    """Return what a recording says; what should be known about it goes to stderr."""
    from bot.cli.voice import tell, transcript_of

    found = transcript_of(services, audio, question)
    tell(services, found, _err)
    return found.text


def _read_text(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        _fail(f"{name}：不是 UTF-8 文本；请另存为 UTF-8。")
    except OSError as error:
        _fail(f"{name}：无法读取（{error.strerror}）；请检查路径。")


@app.command()
@_plainly
def index() -> None:
    """建立或刷新检索索引；没有变化时什么也不算。"""
    from rich.progress import Progress

    services = _services()
    with Progress(console=_err, transient=True) as bar:
        task = bar.add_task("建立索引", total=None)
        report = services.retrieval.refresh(
            lambda done, total: bar.update(task, completed=done, total=total)
        )
    _out.print(
        f"索引已就绪：新计算 {report.embedded} 段，取用随附向量 {report.reused} 段，"
        f"未变 {report.unchanged} 段，移除 {report.removed} 段。",
        markup=False,
    )


@app.command()
@_plainly
def search(
    text: Annotated[str, typer.Argument(help="要找的内容")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="最多几道题")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="输出 JSON")] = False,
) -> None:
    """在题库里查找。"""
    from rich.table import Table

    services = _services()
    services.retrieval.refresh_quietly()
    results = services.retrieval.search(text, limit)
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in results], ensure_ascii=False))
        return
    if not results:
        _out.print("没有找到相关题目；换几个词试试。")
        return
    if not results[0].by_meaning:
        _err.print("提示：检索索引不可用，本次只按词查找。")
    table = Table("题目", "题干", "匹配的内容")
    for one in results:
        stem = services.bank.find(one.question_id).stem
        table.add_row(one.question_id, stem, one.passage.text[:60])
    _out.print(table)


@app.command("import")
@_plainly
def import_file(
    file: Annotated[
        Path | None, typer.Argument(help="题目文档：TXT、MD、CSV、XLSX、DOCX、PDF、JSON、YAML")
    ] = None,
    bank: Annotated[str | None, typer.Option(help="导入到哪个题库；默认取文件名")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="只看预览，不写入")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="撤销上一次导入")] = False,
) -> None:
    """导入题目文档到自己的题库；随附的题库不会改动。"""
    from bot.cli import importing

    if file is None and not (undo and bank):
        _fail("请给出要导入的文件；撤销导入请给出 --undo 和 --bank。")
    services = _services()
    name = bank or services.imports.name_for(str(file))
    if undo:
        importing.undo(services, name, _out)
        return
    assert file is not None  # noqa: S101 - checked above
    services.imports.require_own(name)
    preview = importing.preview_file(services, file, _err)
    importing.print_preview(_out, preview)
    imports = services.imports
    done = imports.plan(preview, name) if dry_run else imports.accept(preview, name)
    importing.print_merge(_out, done, is_written=not dry_run)


@app.command()
@_plainly
def check() -> None:
    """检查题库与评分标准。"""
    from bot.services.checking import counts, problems

    services = _services()
    # What is checked are the spellings of concepts, which no model reads.
    found = list(problems(services.bank, services.offline_grader))
    for sentence in found:
        _err.print(sentence, markup=False, highlight=False, soft_wrap=True)
    size = counts(services.bank)
    _out.print(
        f"{services.bank.name}：{size.sections} 个章节，{size.questions} 道题，"
        f"{size.key_points} 个采分点，{size.follow_ups} 个追问，{size.misconceptions} 个误区，"
        f"{size.terms} 个术语，{size.calculations} 族计算题，{size.figures} 处必备数据；"
        f"评分标准 {len(services.rubrics)} 份；问题 {len(found)} 处。",
        markup=False,
        soft_wrap=True,
    )
    if found:
        raise typer.Exit(SOME_UNGRADED)


@app.command()
@_plainly
def evaluate(
    gold: Annotated[Path, typer.Option(help="评过分的作答（JSONL）")],
    judge: Annotated[str | None, typer.Option(help=f"{JUDGE_HELP}；replay 用录制的回复")] = None,
    replies: Annotated[
        Path | None,
        typer.Option(help=f"录制的回复；默认是 --gold 旁边的 replies.jsonl，没有就用 {REPLIES}"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="输出 JSON")] = False,
    html: Annotated[Path | None, typer.Option(help="另写一个网页")] = None,
    limit: Annotated[int | None, typer.Option(min=2, help="外部评分集：只评抽到的这么多份")] = None,
    seed: Annotated[int, typer.Option(help="外部评分集：抽样的种子")] = 0,
    meaning: Annotated[
        bool, typer.Option("--meaning", help="外部评分集：离线评分时也比较语义（慢）")
    ] = False,
) -> None:
    """与评过分的作答比较：真正评一遍，再算一致性。

    除了自己的 JSONL，也认得外部的 ads.jsonl、cesa.tsv、mohler.csv（只有参考答案的题目）。
    """
    from bot.cli.external import read_external

    external = read_external(gold)
    if external is None:
        _evaluate_own(gold, judge, replies, as_json=as_json, html=html)
    elif html is not None or replies is not None or judge == "replay":
        _fail("外部评分集没有网页，也没有录制的回复；请去掉 --html、--replies 与 --judge replay。")
    else:
        _evaluate_external(external.sample(limit, seed), judge, as_json=as_json, meaning=meaning)


def _evaluate_external(
    found: ExternalSet, judge: str | None, *, as_json: bool, meaning: bool
) -> None:
    from rich.progress import Progress

    from bot.cli import external
    from bot.cli.judges import grader_of, is_offline

    services = _services()
    grader = (
        external.grader_for(services, found, by_meaning=meaning)
        if is_offline(services, judge)
        else grader_of(services, judge, _err)
    )
    with Progress(console=_err, transient=True) as bar:
        task = bar.add_task("评分", total=len(found.answers))
        measured = external.run(services, found, grader, lambda: bar.advance(task))
    if as_json:
        typer.echo(external.as_json(measured))
    else:
        external.print_table(_out, measured)
    if measured.ungraded:
        raise typer.Exit(SOME_UNGRADED)


def _evaluate_own(
    gold: Path, judge: str | None, replies: Path | None, *, as_json: bool, html: Path | None
) -> None:
    from rich.progress import Progress

    from bot.adapters.words import recall
    from bot.cli import evaluating
    from bot.cli.judges import REPLAY, grader_of, replay_grader
    from bot.domain.target import target_of
    from bot.services.evaluating import Case
    from bot.services.evaluating import evaluate as run

    answers = evaluating.read_gold(gold)
    services = _services()
    grader = (
        replay_grader(services, replies or _replies_beside(gold))
        if judge == REPLAY
        else grader_of(services, judge, _err)
    )
    with Progress(console=_err, transient=True) as bar:
        task = bar.add_task("评分", total=len(answers))
        found = run(answers, services.bank, grader, recall, lambda: bar.advance(task))

    def explain(case: Case) -> str:
        target = target_of(services.bank.find(case.question_id))
        return evaluating.trace_text(services.offline_judge.explain(target, case.answer))

    if as_json:
        typer.echo(evaluating.as_json(found))
    else:
        evaluating.print_tables(_out, found)
    if html is not None:
        _write(html, evaluating.as_html(found, explain))
    if found.ungraded:
        raise typer.Exit(SOME_UNGRADED)


def _replies_beside(gold: Path) -> Path:
    """Return where the recorded replies are: a reply is found by its prompt, whatever the file."""
    beside = gold.with_name(REPLIES.name)
    return beside if beside.is_file() or not REPLIES.is_file() else REPLIES


@sessions_app.callback(invoke_without_command=True)
@_plainly
def sessions(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="最多几场")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="输出 JSON")] = False,
) -> None:
    """列出以前的面试；也可导出全部评分，或导入一场。"""
    from bot.cli.reporting import print_sessions

    if context.invoked_subcommand is None:
        print_sessions(_services(), _out, limit=limit, as_json=as_json)


@sessions_app.command("export")
@_plainly
def export_sessions(
    output: Annotated[Path | None, typer.Option("-o", "--output", help="写到文件")] = None,
) -> None:
    """把全部场次的评分导出成一张表（CSV，可用 Excel 打开）。"""
    from bot.cli.reporting import write_grades

    write_grades(_services(), output)


@sessions_app.command("import")
@_plainly
def import_session(
    file: Annotated[Path, typer.Argument(help="`mockbot report 场次 --format json` 的输出")],
) -> None:
    """把导出的一场面试（JSON）放回记录。"""
    from bot.cli.reporting import take_report

    take_report(_services(), file, _out)


@app.command()
@_plainly
def report(
    session: Annotated[str, typer.Argument(help="场次 id")],
    form: Annotated[
        str | None,
        typer.Option("--format", help="md、html、pdf、json 或 csv；默认看文件名，否则 md"),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="写到文件")] = None,
) -> None:
    """导出一场面试的复盘报告。"""
    from bot.cli.reporting import write_report

    write_report(_services(), session, form, output)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        _fail(f"{path}：无法写入（{error.strerror}）；请换一个位置。")


@app.command()
@_plainly
def interview(
    count: Annotated[int, typer.Option(min=1, max=60, help="几道题")] = 3,
    section: Annotated[list[str] | None, typer.Option(help="只从这些章节出题，可重复")] = None,
    follow_ups: Annotated[int, typer.Option(min=0, max=3, help="每题最多几个追问")] = 1,
    calculations: Annotated[int, typer.Option(min=0, max=4, help="另加几道计算题")] = 0,
    session: Annotated[str | None, typer.Option(help="继续这一场")] = None,
) -> None:
    """在终端里进行一场面试。"""
    from bot.cli.terminal import run_interview

    services = _services()
    found: Session | None = services.store.load(session) if session else None
    services = _as_chosen(services)
    services = services.for_bank(found.plan.bank_id) if found else services
    run_interview(
        _out,
        services,
        found,
        count=count,
        sections=section or [],
        follow_ups=follow_ups,
        calculations=calculations,
    )


@app.command()
@_plainly
def drill(
    cards: Annotated[int | None, typer.Option(min=1, max=50, help="练几张卡片；默认 10")] = None,
    minutes: Annotated[int | None, typer.Option(min=1, max=120, help="练几分钟")] = None,
    add: Annotated[
        list[str] | None, typer.Option(help="先把这个章节的追问加入卡组，可重复；all 表示全部")
    ] = None,
) -> None:
    """在终端里做追问训练：没说到的要点和题库的追问，到期就练。"""
    from bot.cli.drilling import add_follow_ups, run_drill
    from bot.domain.drill import Goal

    if cards is not None and minutes is not None:
        _fail("--cards 和 --minutes 只能给一个。")
    services = _as_chosen(_services())
    add_follow_ups(_out, services, add or [])
    is_given = cards is not None or minutes is not None
    run_drill(_out, services, Goal(cards=cards, minutes=minutes) if is_given else None)


@rubric_app.callback()
def rubric() -> None:
    """检查自己写的评分标准。"""


@rubric_app.command("check")
@_plainly
def check_rubric(
    file: Annotated[Path, typer.Argument(help="评分标准（YAML），如从设置页下载的")],
) -> None:
    """检查一份自己的评分标准，并给出示例作答的得分怎样变化。"""
    from bot.cli.rubrics import check_file

    check_file(_services(), _read_text(str(file)), str(file), _out)


@data_app.command("export")
@_plainly
def export_data(
    output: Annotated[Path, typer.Option("--output", "-o", help="写到哪个 ZIP 文件")],
    owner: Annotated[str | None, typer.Option(help="用户编号；默认是本机的记录")] = None,
) -> None:
    """导出一个用户的全部数据。"""
    services = _services() if owner is None else _services().for_owner(owner)
    packed = services.export_mine()
    try:
        with output.open("xb") as file:
            file.write(packed)
    except FileExistsError:
        _fail(f"{output} 已经存在；请换一个文件名。")
    except OSError as error:
        _fail(f"{output}：无法写入（{error.strerror}）；请检查路径。")
    _out.print(f"已导出到 {output}。", markup=False, highlight=False, soft_wrap=True)


@data_app.command("delete")
@_plainly
def delete_data(
    owner: Annotated[str | None, typer.Option(help="用户编号；默认是本机的记录")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="不再询问")] = False,
) -> None:
    """删除一个用户的全部数据，不能恢复。"""
    services = _services() if owner is None else _services().for_owner(owner)
    if not yes and not typer.confirm("面试、卡片、题库、设置和录音会全部删除，不能恢复。确定吗？"):
        _out.print("没有删除。")
        return
    services.delete_mine()
    _out.print("已删除。")


@app.command()
@_plainly
def doctor(
    exam: Annotated[bool, typer.Option("--exam", help="让评分模型（重新）参加考核")] = False,
) -> None:
    """检查设置、题库、数据库、检索与评分者，并说明该怎么办。"""
    from bot.cli.doctor import examine
    from bot.cli.judges import take_exam

    services = _services()
    if exam and not services.models.is_set:
        _fail("没有配置模型，无从考核；请先设置 BOT_MODEL（见 .env.example）。")
    if exam:
        take_exam(services, _err)
    findings = examine(services)
    for finding in findings:
        mark = "[green]✓[/]" if finding.ok else "[red]✗[/]"
        _out.print(mark, end=" ")
        _out.print(f"{finding.part}：{finding.says}", markup=False, highlight=False, soft_wrap=True)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(SOME_UNGRADED)
