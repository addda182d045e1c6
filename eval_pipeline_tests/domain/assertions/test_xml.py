from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_pipeline.domain.assertion_results import evaluated
from eval_pipeline.domain.assertions import Outcome, read_assertion
from eval_pipeline.domain.assertions.xml_structure import KINDS, MAX_XML, ValidXml, XmlHasTag
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable
from eval_pipeline.domain.responses import TRUNCATED, Reply
from eval_pipeline_tests.builders import answered
from eval_pipeline_tests.domain.strategies import any_text

ONE_OF_EACH = [read_assertion(kind.example.declared) for kind in KINDS]
in_every_kind = pytest.mark.parametrize("assertion", ONE_OF_EACH, ids=lambda assertion: assertion.kind)


def judged(declared: Any, answer: str) -> Outcome:
    return read_assertion(declared).check(answered(answer))


@pytest.mark.parametrize(
    ("name", "valid", "reason"),
    [
        ("xml-01-nested-entities.xml", False, "document type declaration"),
        ("xml-02-external-entity.xml", False, "document type declaration"),
        ("xml-04-encoding-declaration.xml", True, ""),
        ("xml-06-two-roots.xml", False, "junk after document element"),
        ("xml-07-nbsp.xml", False, "undefined entity"),
        ("xml-08-prose-around.txt", False, "not XML"),
        ("xml-09-fenced.txt", False, "not XML"),
        ("xml-10-control-char.xml", False, "invalid token"),
        ("xml-12-late-declaration.xml", False, "not at start"),
        ("xml-15-deep.xml", True, ""),
    ],
)
def test_an_answer_is_xml_or_is_not(name: str, valid: bool, reason: str, shared_cases: Path) -> None:
    answer = (shared_cases / name).read_bytes().decode()
    outcome = judged("valid_xml", answer)
    assert outcome.passed is valid
    assert reason in outcome.message
    assert judged("not_valid_xml", answer).passed is not valid
    for tag in ("a", "b", "r", "p"):
        assert not judged({"xml_has_tag": tag}, answer).passed or valid


@pytest.mark.parametrize(
    ("answer", "valid"),
    [
        ("<a/>", True),
        ("  <a/>\n", True),
        ('<?xml version="1.0" encoding="UTF-16"?><a/>', True),
        ('<?xml version="1.0" encoding="none-such"?><a/>', True),
        ('\ufeff<?xml version="1.0"?><a/>', True),
        (' <?xml version="1.0"?><a/>', False),
        ("<x:a/>", True),
        ("<a>&lt;&amp;&#233;</a>", True),
        ("<a>&#0;</a>", False),
        ("<a><![CDATA[<b>]]></a>", True),
        ("<!-- note --><a/>", True),
        ("<!DOCTYPE html><html/>", False),
        ("<!DOCTYPE a [<!ENTITY % b 'c'> %b;]><a/>", False),
        ("<a>\x01</a>", False),
        ("<a>\x00</a>", False),
        ("<a>\ud800</a>", False),
        ("<a b='1' b='2'/>", False),
        ("<a></b>", False),
        ("<a>", False),
        ("", False),
        ("words", False),
    ],
)
def test_xml_is_read_by_the_rules_of_xml(answer: str, valid: bool) -> None:
    assert judged("valid_xml", answer).passed is valid


def test_nothing_of_a_named_file_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("top-secret-words")
    for declared in (
        f'<!ENTITY x SYSTEM "{secret.as_uri()}">',
        f'<!ENTITY % x SYSTEM "{secret.as_uri()}"> %x;',
    ):
        outcome = judged("valid_xml", f"<!DOCTYPE r [{declared}]><r>&x;</r>")
        assert not outcome.passed
        assert "top-secret-words" not in str(outcome)
    assert not judged("valid_xml", f'<!DOCTYPE r SYSTEM "{secret.as_uri()}"><r/>').passed


@pytest.mark.parametrize(
    ("tag", "answer", "there"),
    [
        ("b", "<a><b/></a>", True),
        ("a", "<a/>", True),
        ("b", "<a>b</a>", False),
        ("b", "<a b='b'/>", False),
        ("b", "<a><!-- <b/> --></a>", False),
        ("b", "<a><![CDATA[<b/>]]></a>", False),
        ("B", "<a><b/></a>", False),
        ("item", "<x:list xmlns:x='urn:l'><x:item/></x:list>", True),
        ("x:item", "<x:list><x:item/></x:list>", True),
        ("y:item", "<x:list><x:item/></x:list>", False),
        ("x:item", "<list><item/></list>", False),
        ("caf\u00e9", "<cafe\u0301/>", True),
        ("cafe\u0301", "<caf\u00e9/>", True),
        ("b", "Here you go: <b/>", False),
        ("b", "<b/><b/>", False),
    ],
)
def test_a_tag_is_there_or_is_not(tag: str, answer: str, there: bool) -> None:
    assert judged({"xml_has_tag": tag}, answer).passed is there
    assert judged({"not_xml_has_tag": tag}, answer).passed is not there


@pytest.mark.parametrize(
    "value", ["", " ", "<b>", "a b", "a/b", "1a", "a b='c'", "a/><b", "\x00", "\ud800", "{urn:x}a"]
)
def test_what_is_no_name_of_a_tag_is_refused(value: str) -> None:
    with pytest.raises(DefinitionError, match="no name of a tag"):
        XmlHasTag(value)


@pytest.mark.parametrize(
    "fence", ["```xml\n{}\n```", "Here:\n~~~\n{}\n~~~\nDone.", "* item\n  ```\n  {}\n  ```"]
)
def test_one_fenced_block_is_accepted_where_asked_for(fence: str) -> None:
    answer = fence.replace("{}", '<?xml version="1.0"?><a/>')
    assert judged({"type": "valid_xml", "extract": "fenced"}, answer).passed
    assert judged({"type": "xml_has_tag", "value": "a", "extract": "fenced"}, answer).passed


def test_a_fenced_block_is_as_strict_about_its_beginning_as_an_answer() -> None:
    answer = '```xml\n\n<?xml version="1.0"?><a/>\n```'
    assert not judged({"type": "valid_xml", "extract": "fenced"}, answer).passed


@pytest.mark.parametrize("answer", ["<a/>", "```\n<a/>", "```\n<a/>\n```\n```\n<a/>\n```"])
def test_without_one_single_block_there_is_no_document(answer: str) -> None:
    outcome = judged({"type": "valid_xml", "extract": "fenced"}, answer)
    assert not outcome.passed
    assert "fenced block" in outcome.message


def test_an_answer_that_was_cut_off_says_so() -> None:
    reply = Reply("<a><b>", finish_reason="length", flags=(TRUNCATED,))
    assert "cut off at its token limit" in ValidXml().check(answered(reply=reply)).message


@in_every_kind
def test_an_answer_beyond_the_limit_is_not_measurable(assertion: Any) -> None:
    with pytest.raises(NotMeasurable, match="too long"):
        assertion.check(answered(" " * (MAX_XML + 1)))


@in_every_kind
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "hostile",
    [
        "<a>" * (MAX_XML // 3),
        "<" * MAX_XML,
        "<a " + " ".join(f"a{number}='1'" for number in range(70_000)) + "/>",
        "<a>" + "&amp;" * (MAX_XML // 5 - 2) + "</a>",
        "<a><![CDATA[" + "]" * (MAX_XML - 20) + "]]></a>",
        "<a><!--" + "- " * (MAX_XML // 2 - 10) + "--></a>",
        "<" + "a" * (MAX_XML - 5) + "/>",
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_answer_gets_a_verdict(assertion: Any, hostile: str) -> None:
    assert evaluated(assertion, answered(hostile)).status in ("pass", "fail")


@in_every_kind
@given(answer=any_text | st.text(st.sampled_from("<>/ab&;![]-?\x00")))
def test_any_text_gets_a_verdict(assertion: Any, answer: str) -> None:
    assert evaluated(assertion, answered(answer)).status in ("pass", "fail")
