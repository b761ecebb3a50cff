"""Texts of pipelines: what is read, what is refused, and where the carets point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.cli.pipeline import fault, nearest, parse_pipeline
from muntin.errors import PipelineError

NAMES = ("box", "gaussian", "gaussian3x3", "magnitude", "median", "sobel3x3", "threshold")


def parsed(text: str) -> list[tuple[object, ...]]:
    pipeline = parse_pipeline(text, NAMES)
    assert all(
        pipeline.text[call.start : call.stop].startswith(call.name) for call in pipeline.calls
    )
    return [(call.name, call.args, dict(call.options)) for call in pipeline.calls]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("box", [("box", (), {})]),
        ("  box ( ) ", [("box", (), {})]),
        (
            "gaussian3x3 | sobel3x3|threshold(80)",
            [("gaussian3x3", (), {}), ("sobel3x3", (), {}), ("threshold", (80,), {})],
        ),
        ("(box | median) | (box | median)", [(name, (), {}) for name in ("box", "median") * 2]),
        ("box((3, -5), border='wrap')", [("box", ((3, -5),), {"border": "wrap"})]),
        ("box([1, [2.5, +3]], None, True)", [("box", ((1, (2.5, 3)), None, True), {})]),
        ("box(0x10, 1_000, 1e3, -1.5)", [("box", (16, 1000, 1000.0, -1.5), {})]),
        ("box\n\t| median", [("box", (), {}), ("median", (), {})]),
        ("box('\\d', \"ünï | code\")", [("box", ("\\d", "ünï | code"), {})]),
        ("\u00a0box(3)\u00a0|\u00a0median", [("box", (3,), {}), ("median", (), {})]),
    ],
)
def test_what_is_read(text: str, calls: list[tuple[object, ...]]) -> None:
    assert parsed(text) == calls


def caret(text: str) -> tuple[str, str]:
    """Return the message for a wrong text, and the part of it that the carets mark."""
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(text, NAMES)
    message, shown, marks = str(caught.value).splitlines()[:3]
    start = len(marks) - len(marks.lstrip())
    return message, shown[start : len(marks)]


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("gausian | box", "there is no function 'gausian'; did you mean gaussian", "gausian"),
        ("box | Median", "did you mean median?", "Median"),
        ("box | zzz", "there is no function 'zzz'; `muntin stages` lists all", "zzz"),
        ("'ünï'; box", "this cannot be read (invalid syntax); a stage is the name", ";"),
        ("box(border='ü') | bx", "there is no function 'bx'", "bx"),
        ("box |", "a stage is missing after the last |", "|"),
        ("| box", "a stage is missing before this |", "|"),
        ("box || median", "a stage is missing before this |", "|"),
        ("box, median", "stages are separated by commas here; join them by |", "box, median"),
        ("box > 3", "this is a formula; a stage is the name of a function", "box > 3"),
        ("box and median", "this is a formula", "box and median"),
        ("3 | box", "3 is a value; a stage is", "3"),
        ("-box", "this is no stage; a stage is", "-box"),
        ("box(3", "this cannot be read ('(' was never closed)", "("),
        ("box(3))", "this cannot be read (unmatched ')')", ")"),
        ("threshold 80 | box", "stages are joined by |", "80"),
        ("box(border=wrap)", "'wrap' is a bare word; write texts in quotes, 'wrap'", "wrap"),
        ("box(**options)", "** is not allowed; write options as name=value", "**options"),
        ("box(*sizes)", "this is no plain value; use numbers", "*sizes"),
        ("box(1 + 2)", "this is no plain value", "1 + 2"),
        ("box(not True)", "this is no plain value", "not True"),
        ("box(-'a')", "this is no plain value", "-'a'"),
        ("box(-True)", "this is no plain value", "-True"),
        ("box(b'x')", "this is no plain value", "b'x'"),
        ("box(2j)", "this is no plain value", "2j"),
        ("box(...)", "this is no plain value", "..."),
        ("box(f'{3}')", "this is no plain value", "f'{3}'"),
        ("box(lambda: 1)", "this is no plain value", "lambda: 1"),
        ("box({1: 2})", "this is no plain value", "{1: 2}"),
        ("box((1, max))", "'max' is a bare word", "max"),
        ("box(max(3))", "tuples, and constant(number) for a border", "max(3)"),
        ("box(border=constant(1, 2))", "this is no plain value", "constant(1, 2)"),
        ("box(border=constant('a'))", "constant 'a' is not a number; give an", "constant('a')"),
        ("box(size=1, size=2)", "size is given twice; give it once", "size=2"),
        ("vx.box(3)", "write the function's name alone, 'box'", "vx.box"),
        ("box(3)(4)", "this is no function's name; a stage is", "box(3)"),
        ("open('x').read()", "write the function's name alone, 'read'", "open('x').read"),
        ("open('x')", "there is no function 'open'", "open"),
    ],
)
def test_what_is_refused(text: str, message: str, marked: str) -> None:
    found, part = caret(text)
    assert found.startswith("pipeline: ")
    assert message in found
    assert part == marked


def test_texts_that_are_no_pipeline() -> None:
    with pytest.raises(PipelineError, match=r'the text is empty; join functions by \|, such as "g'):
        parse_pipeline(" \n ", NAMES)
    with pytest.raises(PipelineError, match="the text has 20000 characters; up to 10000 are read"):
        parse_pipeline("x" * 20_000, NAMES)
    with pytest.raises(PipelineError, match="cannot be read"):
        parse_pipeline("box(\0)", NAMES)
    with pytest.raises(PipelineError, match=r"the text cannot be read: .*nest|too many nested"):
        parse_pipeline("box(" + "-" * 9_000 + "1)", NAMES)
    with pytest.raises(PipelineError, match="cannot be read"):
        parse_pipeline("box(" + "(" * 4_000 + ")" * 4_000 + ")", NAMES)


def test_a_long_text_is_shown_around_the_fault() -> None:
    text = "median | " * 40 + "bx" + " | median" * 40
    message, part = caret(text)
    assert "did you mean box?" in message
    assert part == "bx"
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(text, NAMES)
    _, shown, _ = str(caught.value).splitlines()
    assert len(shown) <= 100
    assert shown.startswith("  …")
    assert shown.endswith("…")


def test_faults_at_the_ends_of_a_text() -> None:
    assert str(fault("box", 3, 9, "why", "note")).splitlines() == [
        "pipeline: why",
        "  box",
        "     ^",
        "note",
    ]


def test_nearest_names() -> None:
    assert nearest("sobel", NAMES) == "did you mean sobel3x3?"
    assert nearest("GAUSS", NAMES) == "did you mean gaussian or gaussian3x3?"
    assert nearest("zzzz", NAMES) == ""


@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(
            st.sampled_from(
                [
                    *NAMES,
                    "|",
                    "(",
                    ")",
                    ",",
                    "=",
                    "3",
                    "-",
                    "'a'",
                    "[",
                    "]",
                    ".",
                    " ",
                    "x",
                    "*",
                    "λ",
                ]
            ),
            max_size=14,
        ).map("".join),
    )
)
def test_any_text_is_a_pipeline_or_a_pipeline_error(text: str) -> None:
    try:
        pipeline = parse_pipeline(text, NAMES)
    except PipelineError as error:
        assert str(error).startswith("pipeline: ")  # noqa: PT017 - either outcome is right
    else:
        assert {call.name for call in pipeline.calls} <= set(NAMES)
