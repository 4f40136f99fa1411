"""Human-rated sets that are not ours, and the judge of questions without authored concepts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.adapters import yaml_file
from bot.adapters.closeness import EmbeddedCloseness
from bot.adapters.words import words
from bot.adapters.yaml_rubrics import read_rubrics
from bot.cli.external import FULL_MARK_ANSWERS, as_json, read_external
from bot.cli.main import app
from bot.domain.bank import Bank
from bot.domain.claims import Verdict
from bot.domain.grade import Grade
from bot.domain.question import KeyPoint, Question, ReferenceAnswer, Slot
from bot.domain.target import Target, target_of
from bot.errors import ConfigError
from bot.offline.generic import METHOD, Agreement, Generic, agreement_of
from bot.offline.judge import OfflineJudge
from bot.offline.settings import OfflineSettings
from bot.ports import Judge
from bot.services.enriching import Enricher
from bot.services.external import ExternalSet, Measured, bank_of, measure
from bot.services.grading import Grader
from tests import fakes

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared" / "gold" / "external"
LEXICON = yaml_file.read(ROOT / "rubrics" / "judges" / "offline.yaml", OfflineSettings, ConfigError)
RUBRICS = read_rubrics(ROOT / "rubrics")
ADS = [
    {"id": "a0", "question_id": "1", "question": "请判断是否正确：队列是先进后出的。", "references": ["错误。队列从队尾插入、从队头删除，所以先进先出。", "错误。先插入的元素先离开。"], "answer": "错误，队尾插入，队头删除，先进先出。", "score": 10.0, "max": 10},
    {"id": "a1", "question_id": "1", "question": "请判断是否正确：队列是先进后出的。", "references": ["错误。队列从队尾插入、从队头删除，所以先进先出。", "错误。先插入的元素先离开。"], "answer": "正确，队尾插入，队头删除。", "score": 0.0, "max": 10},
    {"id": "a2", "question_id": "1", "question": "请判断是否正确：队列是先进后出的。", "references": ["错误。队列从队尾插入、从队头删除，所以先进先出。", "错误。先插入的元素先离开。"], "answer": "不知道", "score": 0.0, "max": 10},
]  # fmt: skip
CESA = "student ID\tQ#\tanswer\tjudge1\tjudge2\tfinal judge\n" + "".join(
    f"{at}\t1\t{answer}\t{one}\t{other}\t{final}\n"
    for at, (answer, one, other, final) in enumerate(
        [
            ("玻璃的硬度比钻石低", 2, 2, 2),
            ("钻石硬度大，能划开玻璃", 2, 2, 2),
            ("钻石很贵", 0, 1, 0),
        ],
        start=1,
    )
)
MOHLER = (
    "id,question,desired_answer,student_answer,score_me,score_other,score_avg\n"
    '1.1,What is a stack?,"A list, last in first out.","The last element in is the first out.",5,4,4.5\n'
    "1.1,What is a stack?,\"A list, last in first out.\",A kind of tree.,0,1,0.5\n"
)  # fmt: skip


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "set"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def ads_text() -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in ADS)


def found_in(path: Path) -> ExternalSet:
    found = read_external(path)
    assert found is not None
    return found


def grader(judge: Judge | None = None) -> Grader:
    return Grader(
        judge=judge or OfflineJudge({}, LEXICON, Generic(words)),
        rubrics=RUBRICS,
        bank_name="external@1",
        clock=fakes.FakeClock(tick=0.5),
    )


def imported(found: ExternalSet) -> Bank:
    return bank_of(found, Enricher(words, {}, lambda _: ()))


def measured(found: ExternalSet) -> Measured:
    return measure(found, imported(found), grader(), words)


def question(stem: str, *says: str, opening: str = "") -> Target:
    points = tuple(
        KeyPoint(
            id=id_, says=one, slot=Slot.CONCLUSION, concepts=(("没有的写法",),), generated=True
        )
        for id_, one in zip("abc", says, strict=False)
    )
    reference = ReferenceAnswer(conclusion=opening + "。".join(says))
    return target_of(
        Question(
            id="Q1", stem=stem, difficulty="easy", topics=("t",), reference=reference, key_points=points
        )
    )  # fmt: skip


def graded(target: Target, answer: str) -> Grade:
    given = grader().grade("x", target, answer)
    assert isinstance(given, Grade)
    return given


def test_ads_is_known_by_its_fields(write):
    found = found_in(write(ads_text()))

    assert (found.name, len(found.questions), len(found.answers)) == ("ADS", 1, 3)
    assert found.questions[0].references == tuple(ADS[0]["references"])
    assert [one.rated for one in found.answers] == [1.0, 0.0, 0.0]


def test_cesa_has_its_full_mark_answers_for_a_reference(write):
    found = found_in(write(CESA))

    assert found.name == "CESA"
    assert set(found.questions[0].references) == {"玻璃的硬度比钻石低", "钻石硬度大，能划开玻璃"}
    assert len(found.questions[0].references) <= FULL_MARK_ANSWERS
    assert found.answers[2].rated == 0.0
    assert found.answers[2].raters == (0.0, 0.5)


def test_mohler_has_two_raters(write):
    found = found_in(write(MOHLER))

    assert found.name == "Mohler"
    assert found.questions[0].references == ("A list, last in first out.",)
    assert found.answers[0].raters == (1.0, 0.8)
    assert found.answers[0].rated == 0.9


@pytest.mark.parametrize(
    "text",
    ["", "一行字", '{"id": "1", "question_id": "Q01", "answer": "答", "ratings": []}', "a,b\n"],
)
def test_other_files_are_none_of_these(write, text: str):
    assert read_external(write(text)) is None


def test_a_file_that_is_not_there_is_none_of_these(tmp_path):
    assert read_external(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ads_text() + '{"id": 1}\n', ":4"),
        (CESA + "4\t1\t短\n", "列"),
        (CESA + "4\t1\t答\t二\t2\t2\n", "'二'"),
        (MOHLER.splitlines()[0] + "\n", "没有评过分的作答"),
    ],
)
def test_a_fault_in_a_set_is_named(write, text: str, says: str):
    with pytest.raises(ConfigError, match=says):
        read_external(write(text))


def test_each_reference_becomes_a_question_as_imports_make_them(write):
    bank = imported(found_in(write(ads_text())))

    assert [one.id for one in bank.questions] == ["1-r1", "1-r2"]
    assert all(point.generated for one in bank.questions for point in one.key_points)


@pytest.mark.parametrize("text", [ads_text(), CESA, MOHLER])
def test_people_and_judge_are_compared_beside_baselines(write, text: str):
    result = measured(found_in(write(text)))

    assert [row.name for row in result.rows] == ["score", "length", "tfidf", "recall"]
    assert result.rows[0].pearson is not None
    assert result.rows[0].pearson > 0.5
    assert (result.ungraded, result.judge) == (0.0, "offline")
    assert result.seconds > 0
    assert (result.raters is None) == (result.name == "ADS")
    assert json.loads(as_json(result))["rows"][0]["name"] == "score"


def test_the_command_measures_a_sample(write, tmp_path, monkeypatch):
    monkeypatch.setenv("BOT_DATA_DIR", str(tmp_path))
    asked = ["evaluate", "--gold", str(write(MOHLER)), "--judge", "offline", "--limit", "2"]

    table = CliRunner().invoke(app, asked)
    figures = CliRunner().invoke(app, [*asked, "--json"])
    page = CliRunner().invoke(app, [*asked, "--html", str(tmp_path / "x.html")])

    assert (table.exit_code, figures.exit_code, page.exit_code) == (0, 0, 2)
    assert "两位评分者之间" in table.stdout
    assert json.loads(figures.stdout)["answers"] == 2


def test_an_answer_is_never_its_own_reference(write):
    found = found_in(write(CESA))
    alone = found.model_copy(update={"answers": found.answers[:1]})
    judge = fakes.CannedJudge()

    measure(alone, imported(found), grader(judge), words)

    assert [target.reference for target, _ in judge.asked] == ["钻石硬度大，能划开玻璃"]


def test_what_no_judge_grades_is_told(write):
    found = found_in(write(MOHLER))
    judge = fakes.CannedJudge(fakes.JudgeUnavailableError("没有"))

    result = measure(found, imported(found), grader(judge), words)

    assert (result.ungraded, result.rows[0].pearson) == (1.0, None)


def test_a_sample_is_the_same_for_the_same_seed(write):
    found = found_in(write(ads_text()))

    assert found.sample(2, 1) == found.sample(2, 1)
    assert len(found.sample(2, 1).answers) == 2
    assert found.sample(None, 1) == found.sample(9, 1) == found


@pytest.mark.parametrize(
    ("stem", "reference", "answer", "agreement"),
    [
        ("请判断是否正确：栈底元素不能删除", "错误。可以逐个出栈。", "错，可以删除。", Agreement.SAME),
        ("请判断是否正确：栈底元素不能删除", "错误。可以逐个出栈。", "不正确，能删。", Agreement.SAME),
        ("请判断是否正确：栈底元素不能删除", "错误。可以逐个出栈。", "这个叙述可以说是错误的。", Agreement.SAME),
        ("请判断是否正确：栈底元素不能删除", "错误。可以逐个出栈。", "正确。", Agreement.OPPOSED),
        ("请判断是否正确：栈底元素不能删除", "错误。可以逐个出栈。", "当栈空时可以删除", Agreement.NONE),
        ("能不能共用缓存？", "可以，但要前缀相同。", "不可以，各用各的。", Agreement.OPPOSED),
        ("能不能共用缓存？", "可以，但要前缀相同。", "可以共用。", Agreement.SAME),
        ("是否更快？", "不一定，看批次大小。", "会，永远更快。", Agreement.UNSETTLED),
        ("是否会更快？", "不一定会，看批次大小。", "一定会更快。", Agreement.UNSETTLED),
        ("会不会更快？", "不一定，看批次大小。", "不一定。", Agreement.SAME),
        ("开启后是否可以更快？", "不一定，看批次大小。", "可以。", Agreement.UNSETTLED),
        ("说它一定更快，对吗？", "不对，看批次大小。", "不一定，要看负载。", Agreement.SAME),
        ("为什么更快？", "可以合并读取。", "不可以。", Agreement.NONE),
        ("是否更快？", "取决于批次大小。", "", Agreement.NONE),
        ("Is it faster?", "Yes, it is.", "No, never.", Agreement.OPPOSED),
    ],
)  # fmt: skip
def test_the_verdict_of_a_yes_no_question(stem, reference, answer, agreement):
    assert agreement_of(answer, reference, stem) is agreement


def test_an_opposite_verdict_earns_nothing_whatever_follows():
    target = question("请判断是否正确：队列先进后出", "从队尾插入，从队头删除", opening="错误。")

    right = graded(target, "错误。元素从队尾插入，从队头删除。")
    wrong = graded(target, "正确。元素从队尾插入，从队头删除。")
    bare = graded(target, "错误，它就是这样的。")

    assert {point.verdict for point in wrong.key_points} == {Verdict.CONTRADICTED}
    assert wrong.level == 0
    assert wrong.score < bare.score < right.score
    assert bare.level < 3


def test_half_of_the_words_of_a_clause_say_it():
    target = question("缓存有什么用？", "保存历史键值，省去重复计算")

    assert graded(target, "它保存历史键值。").key_points[0].verdict is Verdict.MET
    assert graded(target, "它和键值有关。").key_points[0].verdict is not Verdict.MET
    assert graded(target, "天气很好，适合出门。").score == 0


def test_words_of_the_stem_alone_earn_nothing():
    target = question("分页缓存为什么减少显存碎片？", "分页缓存减少显存碎片，按块分配")

    assert graded(target, "因为分页缓存确实是减少了显存的碎片的呀。").score <= 5
    assert graded(target, "按块分配，所以碎片减少。").score > 50


def test_meanings_are_compared_only_where_something_does_it():
    target = question("缓存有什么用？", "保存历史键值，省去重复计算")
    asked = []

    def closeness(one: str, other: str) -> float:
        asked.append((one, other))
        return 1.0

    judge = OfflineJudge({}, LEXICON, Generic(words, closeness))
    answer = "历史的东西留着不用再算。"
    near = grader(judge).grade("x", target, answer)

    assert isinstance(near, Grade)
    assert near.score > graded(target, answer).score
    assert {other for _, other in asked} == {target.key_points[0].says}


def test_closeness_is_the_rescaled_cosine():
    class Embeddings:
        def embed_query(self, text: str) -> list[float]:
            return {"甲": [1.0, 0.0], "乙": [0.89, 0.4559605], "丙": [0.0, 1.0]}[text]

    closeness = EmbeddedCloseness(Embeddings())

    assert closeness("甲", "甲") == 1.0
    assert closeness("甲", "乙") == pytest.approx(0.5)
    assert closeness("甲", "丙") == 0.0


def test_authored_questions_are_judged_exactly_as_without_it():
    bank = fakes.bank(fakes.question())
    target = target_of(bank.questions[0])
    assert not any(point.generated for point in target.key_points)
    plain, other = OfflineJudge({}, LEXICON), OfflineJudge({}, LEXICON, Generic(words))

    for answer in (
        "前者并行计算，因为读取权重被分摊。",
        "代价是显存占用。",
        "不相干的话",
        target.reference,
    ):
        assert other.judge(target, answer) == plain.judge(target, answer)
        assert other.explain(target, answer) == plain.explain(target, answer)
    assert other.judge(target, "前者并行计算。").claims.coverage is None


def test_one_accepted_point_makes_the_question_an_authored_one():
    target = question("缓存有什么用？", "保存历史键值", "省去重复计算")
    accepted = target.key_points[0].model_copy(update={"generated": False})
    mixed = target.model_copy(update={"key_points": (accepted, *target.key_points[1:])})
    judge = OfflineJudge({}, LEXICON, Generic(words))

    assert judge.judge(target, "保存历史键值").method == METHOD
    assert judge.judge(mixed, "保存历史键值").method is None


def test_a_generated_point_is_explained_word_by_word():
    target = question("缓存有什么用？", "保存历史键值")
    trace = OfflineJudge({}, LEXICON, Generic(words)).explain(target, "保存了一些历史")[0]

    found = {group.spellings[0]: group.found for group in trace.groups}
    assert found["保存"] == "保存"
    assert found["键值"] is None


@pytest.mark.parametrize(
    ("name", "least"), [("ads.jsonl", 0.4), ("cesa.tsv", 0.4), ("mohler.csv", 0.3)]
)
def test_the_real_sets(name: str, least: float):
    if not (REAL / name).is_file():
        pytest.skip(f"the human-rated set is not there: {REAL / name}")
    result = measured(found_in(REAL / name).sample(120, 0))

    assert result.ungraded == 0.0
    assert result.rows[0].pearson is not None
    assert result.rows[0].pearson > least
