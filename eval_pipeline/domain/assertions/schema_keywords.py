"""Keywords of JSON Schema that the library checks without bounds, checked within bounds.

Those with patterns are matched by PCRE2 under its match limit, and `uniqueItems` compares canonical
texts instead of every pair. Not here: what makes a schema acceptable (`json_schema.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from jsonschema import ValidationError
from referencing.jsonschema import lookup_recursive_ref

from eval_pipeline.domain.assertions.ecma_patterns import ecma_pattern
from eval_pipeline.domain.canonical import canonical_json
from eval_pipeline.domain.text import with_texts

Found = Iterator[ValidationError]


def pattern_keyword(validator: Any, pattern: str, instance: Any, _schema: Any) -> Found:
    """`pattern`."""
    if validator.is_type(instance, "string") and not ecma_pattern(pattern).matches(instance):
        yield ValidationError(f"{instance!r:.120} does not match {pattern!r}")


def pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any) -> Found:
    """`patternProperties`."""
    if validator.is_type(instance, "object"):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if ecma_pattern(pattern).matches(name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def additional_properties(validator: Any, additional: Any, instance: Any, schema: Mapping[str, Any]) -> Found:
    """`additionalProperties`."""
    if validator.is_type(instance, "object"):
        named = _named(instance, schema)
        yield from _others(validator, additional, instance, named)


def unevaluated_properties(
    validator: Any, unevaluated: Any, instance: Any, schema: Mapping[str, Any]
) -> Found:
    """`unevaluatedProperties`."""
    if validator.is_type(instance, "object"):
        without = {key: value for key, value in schema.items() if key != "unevaluatedProperties"}
        yield from _others(validator, unevaluated, instance, _evaluated(validator, instance, without))


def unique_items(validator: Any, unique: bool, instance: Any, _schema: Any) -> Found:
    """`uniqueItems`; numbers are equal by value, and a number never equals a truth value."""
    if unique and validator.is_type(instance, "array"):
        seen: set[bytes] = set()
        for item in instance:
            text = _identity(item)
            if text in seen:
                yield ValidationError(f"{item!r:.120} occurs more than once")
                return
            seen.add(text)


def _identity(item: Any) -> bytes:
    """What only equal items share. Lone surrogates, which nothing can encode, are escaped as all else is then."""
    try:
        return canonical_json(item)
    except UnicodeEncodeError:
        return b"escaped " + canonical_json(
            with_texts(item, lambda text: text.encode("unicode_escape").decode("ascii"))
        )


def multiple_of(validator: Any, factor: float, instance: Any, _schema: Any) -> Found:
    """`multipleOf`, by the decimal digits as written: 19.99 is a multiple of 0.01."""
    if (
        validator.is_type(instance, "number")
        and (Fraction(str(instance)) / Fraction(str(factor))).denominator != 1
    ):
        yield ValidationError(f"{instance!r:.120} is not a multiple of {factor}")


def _others(validator: Any, subschema: Any, instance: Mapping[str, Any], named: set[str]) -> Found:
    for name in instance:
        if name in named:
            continue
        if subschema is False:
            yield ValidationError(f"the property {name!r:.120} is not allowed")
        else:
            yield from validator.descend(instance[name], subschema, path=name)


def _named(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> set[str]:
    """The properties that `properties` and `patternProperties` speak of."""
    patterns = [ecma_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    declared = schema.get("properties", {})
    return {
        name for name in instance if name in declared or any(pattern.matches(name) for pattern in patterns)
    }


def _evaluated(validator: Any, instance: Mapping[str, Any], schema: Any) -> set[str]:
    """The properties that the keywords beside, and those of subschemas that apply, have evaluated.

    By JSON Schema 2020-12, core, section 11.3: properties are evaluated by the keywords for properties
    of this schema, and of every in-place subschema under which the instance is valid.
    """
    if not isinstance(schema, Mapping):
        return set()
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return set(instance)
    evaluated = _named(instance, schema)
    for resolver, subschema in _in_place(validator, instance, schema):
        inner = validator.evolve(schema=subschema, _resolver=resolver)
        if inner.is_valid(instance):
            evaluated |= _evaluated(inner, instance, subschema)
    return evaluated


def _in_place(
    validator: Any, instance: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """The subschemas that apply to the instance itself, each with what resolves its references."""
    here = validator._resolver  # noqa: SLF001 - the library hands it to keywords in no other way
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            resolved = here.lookup(schema[keyword])
            yield resolved.resolver, resolved.contents
    if "$recursiveRef" in schema:
        resolved = lookup_recursive_ref(here)
        yield resolved.resolver, resolved.contents
    for subschema in _applicators(validator, instance, schema):
        yield here, subschema


def _applicators(validator: Any, instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for name, subschema in schema.get("dependentSchemas", {}).items():
        if name in instance:
            yield subschema
    if "if" in schema:
        holds = validator.evolve(schema=schema["if"]).is_valid(instance)
        yield schema["if"]
        yield schema.get("then" if holds else "else", True)
