"""JSON Schema as evaluations need it: complete, closed, and bounded.

Complete: every draft that the `jsonschema` library knows, 2020-12 unless `$schema` says otherwise,
with formats checked. Closed: a reference never leaves the schema, and an unknown keyword or format
is a fault of the schema instead of a check that is left out. Bounded: patterns are matched by PCRE2
under its match limit, with ECMA-262's meaning of `$`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

import attrs
from email_validator import EmailNotValidError, validate_email
from jsonschema import Draft202012Validator, FormatChecker, SchemaError, validators
from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with
from rfc3986_validator import validate_rfc3986

from eval_pipeline.domain.assertions import schema_keywords as keywords
from eval_pipeline.domain.assertions.ecma_patterns import ecma_pattern
from eval_pipeline.domain.assertions.pcre import PatternFault
from eval_pipeline.domain.validation import closest

DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DIALECTS = {str(uri).rstrip("#") for uri in REGISTRY if "/meta/" not in uri}
_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class SchemaFault(ValueError):
    """A schema is not one, or means less than it seems to."""


@lru_cache(maxsize=256)
def schema_validator(text: str) -> Validator:
    """A validator for the schema in `text`, which is checked as far as it can be without an answer.

    Those used last are kept; there may be many.

    Args:
        text: A JSON object.

    Raises:
        SchemaFault: An unknown dialect, keyword, type or format; a reference to elsewhere or to
            nowhere; a faulty pattern; a schema that only refers to itself.
    """
    schema = json.loads(text)
    dialect = schema.get("$schema", DEFAULT_DIALECT)
    if not isinstance(dialect, str) or dialect.rstrip("#") not in _DIALECTS:
        raise SchemaFault(f"$schema {dialect!r} is not a known draft of JSON Schema")
    base: Any = validators.validator_for({"$schema": dialect})
    try:
        base.check_schema(schema, format_checker=_formats())
    except SchemaError as error:
        raise SchemaFault(f"at {_place(error.absolute_path)}: {error.message:.300}") from None
    except RecursionError:
        raise SchemaFault("the schema is nested too deeply") from None
    resource = specification_with(dialect).create_resource(schema)
    base_uri = resource.id() or ""
    registry: Registry[Any] = REGISTRY.with_resource(base_uri, resource).crawl()
    known = (_keywords(dialect) - {"dependencies"}) | base.VALIDATORS.keys()
    _check_subschemas(resource, registry.resolver(base_uri), known, dialect)
    validator: Validator = bounded(base)(schema, registry=registry, format_checker=_formats())
    try:
        probes: tuple[Any, ...] = (None, {}, [])
        for probe in probes:
            validator.is_valid(probe)
    except RecursionError:
        raise SchemaFault("the schema refers to itself without end") from None
    return validator


@lru_cache
def bounded(base: Any) -> Any:
    """The validator class `base` of a draft, its unbounded keywords replaced.

    What makes a schema acceptable is not checked by it.
    """
    replacements = {
        "pattern": keywords.pattern_keyword,
        "patternProperties": keywords.pattern_properties,
        "additionalProperties": keywords.additional_properties,
        "unevaluatedProperties": keywords.unevaluated_properties,
        "uniqueItems": keywords.unique_items,
        "multipleOf": keywords.multiple_of,
    }
    known = {name: check for name, check in replacements.items() if name in base.VALIDATORS}
    replaced: Any = validators.extend(base, known)  # type: ignore[no-untyped-call]
    # The library's own evolve() looks the class up by $schema and so falls back on the unbounded one.
    replaced.evolve = attrs.evolve
    return replaced


def violations(validator: Validator, instance: Any) -> Iterator[str]:
    """What is wrong with `instance`, one reason each, with its place.

    Raises:
        SchemaFault: The instance is beyond what can be validated; the message says why.
    """
    try:
        for error in validator.iter_errors(instance):
            yield f"at {_place(error.absolute_path)}: {error.message:.200}"
    except RecursionError:
        raise SchemaFault("the answer and the schema nest too deeply to be compared") from None
    except PatternFault as fault:
        raise SchemaFault(str(fault)) from None
    except ArithmeticError:
        raise SchemaFault("a number of the answer is too large to be compared") from None


def _check_subschemas(resource: Resource[Any], resolver: Any, known: AbstractSet[str], dialect: str) -> None:
    if isinstance(resource.contents, Mapping):
        _check_keywords(resource.contents, known, dialect)
        for keyword in _REFERENCES:
            if keyword in resource.contents:
                _check_reference(resource.contents[keyword], resolver)
    for subresource in resource.subresources():
        _check_subschemas(subresource, resolver.in_subresource(subresource), known, dialect)


def _check_keywords(schema: Mapping[str, Any], known: AbstractSet[str], dialect: str) -> None:
    if schema.get("$schema", dialect) != dialect:
        raise SchemaFault(f"a part of the schema is of another draft, {schema['$schema']!r}")
    for keyword in schema:
        if keyword not in known and not keyword.startswith("x-"):
            hint = closest(keyword, known)
            raise SchemaFault(f"unknown keyword '{keyword}' ({hint}; notes of your own start with x-)")
    if (name := schema.get("format")) is not None and name not in _formats().checkers:
        raise SchemaFault(f"unknown format '{name}'; {closest(name, _formats().checkers)}")
    for pattern in schema.get("patternProperties", {}):
        try:
            ecma_pattern(pattern)
        except PatternFault as fault:
            raise SchemaFault(str(fault)) from None


def _check_reference(reference: str, resolver: Any) -> None:
    try:
        resolver.lookup(reference)
    except Unresolvable:
        raise SchemaFault(
            f"the reference {reference!r} leads nowhere within the schema; nothing outside it is read"
        ) from None


@lru_cache
def _keywords(dialect: str) -> frozenset[str]:
    """Every keyword that the metaschema of `dialect` describes, its vocabularies included."""
    metaschema = REGISTRY.contents(dialect.rstrip("#"))
    keywords = set(metaschema["properties"])
    resolver = REGISTRY.resolver(dialect.rstrip("#"))
    for vocabulary in metaschema.get("allOf", ()):
        keywords |= set(resolver.lookup(vocabulary["$ref"]).contents["properties"])
    return frozenset(keywords)


@lru_cache
def _formats() -> FormatChecker:
    """The library's checks of formats, except where those let bad values pass."""
    checker = FormatChecker(())
    checker.checkers = {
        name: (partial(_on_one_line, check), raises)
        for name, (check, raises) in Draft202012Validator.FORMAT_CHECKER.checkers.items()
    }
    checker.checkers["email"] = (partial(_is_email, international=False), ())
    checker.checkers["idn-email"] = (partial(_is_email, international=True), ())
    checker.checkers["iri"] = (partial(_is_iri, rule="URI"), ())
    checker.checkers["iri-reference"] = (partial(_is_iri, rule="URI_reference"), ())
    checker.checkers["regex"] = (_is_regex, ())
    checker.checkers["uuid"] = (_is_uuid, ())
    return checker


def _on_one_line(check: Any, instance: object) -> bool:
    """The library's check, whose patterns pass over a final line end."""
    return not (isinstance(instance, str) and instance.endswith("\n")) and bool(check(instance))


def _is_email(instance: object, *, international: bool) -> bool:
    if not isinstance(instance, str):
        return True
    try:
        validate_email(
            instance,
            allow_smtputf8=international,
            allow_quoted_local=True,
            allow_domain_literal=True,
            check_deliverability=False,
            globally_deliverable=False,
        )
    except EmailNotValidError:
        return False
    return True


def _is_iri(instance: object, *, rule: str) -> bool:
    """By RFC 3987, section 3.1: an IRI is what becomes a URI when other than ASCII is percent-encoded."""
    if not isinstance(instance, str):
        return True
    if instance.endswith("\n"):
        return False
    encoded = "".join(char if char.isascii() else quote(char, errors="replace") for char in instance)
    return validate_rfc3986(encoded, rule=rule) is not None


def _is_regex(instance: object) -> bool:
    if not isinstance(instance, str) or not instance:
        return True
    try:
        ecma_pattern(instance)
    except PatternFault:
        return False
    return True


def _is_uuid(instance: object) -> bool:
    return not isinstance(instance, str) or _UUID.fullmatch(instance) is not None


def _place(path: Iterable[str | int]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
