"""Assertions on the structure of the answer: XML.

The answer is read by the rules of XML 1.0, and nothing is ever fetched or expanded: a document type declaration is
refused. An answer that is not well-formed fails; one of more than 1,000,000 characters is not measurable.
Not here: JSON (`structure.py`).
"""

from __future__ import annotations

from typing import ClassVar
from xml.parsers import expat

from pydantic import Field, field_validator

from eval_pipeline.domain.assertions.base import Answer, Assertion, Example, Negated, Outcome
from eval_pipeline.domain.assertions.documents import Extract, NotReadable, cut_off, document_of
from eval_pipeline.domain.text import excerpt, normalised

MAX_XML = 1_000_000
"""The longest answer, in characters, that is read as XML."""


class _OnXml(Assertion):
    """An assertion on the XML in the answer."""

    extract: Extract = "strict"

    def check(self, answer: Answer) -> Outcome:
        try:
            tags = _tags(document_of(answer, self.extract, MAX_XML))
        except _NotXml as fault:
            subject = "the answer" if self.extract == "strict" else "the fenced block"
            passed, message = False, f"{subject} is not XML: {fault}{cut_off(answer)}"
        except NotReadable as fault:
            passed, message = False, str(fault)
        else:
            passed, message = self._judged(tags)
        return Outcome(passed, message, self._expectation, excerpt(answer.text))

    def _judged(self, tags: set[str]) -> tuple[bool, str]:
        """Whether a document with these tags meets the expectation, and why."""
        return True, f"well-formed XML with {len(tags)} different tag{'' if len(tags) == 1 else 's'}"

    @property
    def _expectation(self) -> str:
        return "XML"


class ValidXml(_OnXml):
    """The answer is one well-formed XML document by XML 1.0.

    A declaration such as `<?xml version="1.0"?>` may be left out; where there is one, it comes first, without even
    a blank before it. The encoding that it names does not matter, for the answer is text already. White space
    around the root element is allowed. Fails: two root elements, words around the document, an undefined entity
    such as `&nbsp;`, control characters. A document type declaration (`<!DOCTYPE`) is refused and fails: nothing in
    it is read or expanded. Prefixes of names need not be declared.
    """

    kind: ClassVar[str] = "valid_xml"
    example: ClassVar[Example] = Example(
        "valid_xml", passes="<city><name>Lima</name></city>", fails="<city>Lima"
    )


class XmlHasTag(_OnXml):
    """The XML in the answer has an element with the tag name in `value`, anywhere.

    Upper and lower case differ. A name without a colon is found whatever the prefix: `item` finds `<item>` and
    `<x:item>`. A name with a colon is found as written: `x:item` finds `<x:item>` only. Namespaces play no part.
    Fails when the answer is not XML, by the rule of `valid_xml`.
    """

    kind: ClassVar[str] = "xml_has_tag"
    example: ClassVar[Example] = Example(
        {"xml_has_tag": "name"}, passes="<city><name>Lima</name></city>", fails="<city>name</city>"
    )

    value: str = Field(description="The name of the tag, without angle brackets.")

    @field_validator("value")
    @classmethod
    def _is_name(cls, value: str) -> str:
        if not _is_name_of_tag(normalised(value)):
            raise ValueError(
                f"{value!r:.80} is no name of a tag: write it like item or x:item, without brackets"
            )
        return value

    def _judged(self, tags: set[str]) -> tuple[bool, str]:
        name = normalised(self.value)
        passed = name in (tags if ":" in name else {tag.rpartition(":")[2] for tag in tags})
        return passed, f"the tag <{name}> is {'there' if passed else 'not there'}"

    @property
    def _expectation(self) -> str:
        return f"<{self.value}>"

    @property
    def subject(self) -> str:
        return repr(excerpt(self.value, 40))


class NotValidXml(Negated, ValidXml):
    """The answer is not XML, by the rule of `valid_xml`."""

    kind: ClassVar[str] = "not_valid_xml"
    example: ClassVar[Example] = Example(
        "not_valid_xml", passes="The city is Lima.", fails="<city>Lima</city>"
    )


class NotXmlHasTag(Negated, XmlHasTag):
    """The XML in the answer has no element with the tag name in `value`, by the rule of `xml_has_tag`.

    An answer that is not XML has none either; add `valid_xml` where that matters.
    """

    kind: ClassVar[str] = "not_xml_has_tag"
    example: ClassVar[Example] = Example(
        {"not_xml_has_tag": "error"}, passes="<city>Lima</city>", fails="<city><error/></city>"
    )


KINDS: tuple[type[Assertion], ...] = (ValidXml, NotValidXml, XmlHasTag, NotXmlHasTag)


class _NotXml(ValueError):
    """The text is not one well-formed document without a document type declaration."""


def _tags(text: str) -> set[str]:
    """The names of all elements of the document in `text`, with their prefixes.

    Without a document type declaration there are no entities but the five of XML itself, so that nothing can
    grow and nothing outside can be named.

    Raises:
        _NotXml: It is none.
    """
    tags: set[str] = set()
    parser = expat.ParserCreate("utf-8")  # whatever the declaration says: the text is decoded already
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = lambda name, _attributes: tags.add(name)
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        place = f"line {error.lineno}, column {error.offset + 1}"
        raise _NotXml(f"{expat.ErrorString(error.code)} at {place}") from None
    except UnicodeEncodeError:
        raise _NotXml("it holds a lone surrogate") from None
    return tags


def _is_name_of_tag(name: str) -> bool:
    try:
        return _tags(f"<{name}/>") == {name}
    except _NotXml:
        return False


def _refuse_doctype(*_declared: object) -> None:
    raise _NotXml("it has a document type declaration, which is refused; nothing in it was read")
