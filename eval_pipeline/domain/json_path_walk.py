"""Follows a JSONPath through a JSON value, within bounds and without recursing into the value.

Not here: what is a valid path (`json_path.py`), which also says why the library's own walk is not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf
from typing import Any

from jsonpath_rfc9535 import filter_expressions as filters
from jsonpath_rfc9535 import selectors
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment

from eval_pipeline.domain.exact_numbers import equal, exact, is_number

_NOTHING = object()
"""What a comparison sees where a path leads nowhere."""


class PathTooCostly(ValueError):
    """A path could not be followed to its end within its bounds."""


class Walk:
    """The walk of one path through one value.

    Args:
        root: The whole value, which `$` names.
        most: How many values may be looked at.
    """

    def __init__(self, root: Any, most: int) -> None:
        self._root = root
        self._most = most
        self._left = most

    def follow(self, query: Any, start: Any) -> list[Any]:
        """The values that `query`, as the library read it, leads to from `start`.

        Raises:
            PathTooCostly: Too many values would have to be looked at.
        """
        found = [start]
        for segment in query.segments:
            if isinstance(segment, JSONPathRecursiveDescentSegment):
                found = [inner for value in found for inner in self._with_descendants(value)]
            found = [
                member
                for value in found
                for selector in segment.selectors
                for member in self._selected(selector, value)
            ]
        return found

    def _look_at(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise PathTooCostly(f"the JSONPath looks at more than {self._most} values on its way")

    def _with_descendants(self, value: Any) -> Iterator[Any]:
        """`value` and every array and object in it, each before what is in it."""
        waiting = [value]
        while waiting:
            value = waiting.pop()
            members = _members(value)
            self._look_at(1 + len(members))
            yield value
            waiting.extend(member for member in reversed(members) if isinstance(member, dict | list))

    def _selected(self, selector: Any, value: Any) -> list[Any]:
        self._look_at(1)
        match selector:
            case selectors.NameSelector(name=name):
                return [value[name]] if isinstance(value, dict) and name in value else []
            case selectors.IndexSelector(index=index):
                there = isinstance(value, list) and -len(value) <= index < len(value)
                return [value[index]] if there else []
            case selectors.SliceSelector(slice=part):
                found = value[part] if isinstance(value, list) and part.step != 0 else []
                self._look_at(len(found))
                return list(found)
        members = _members(value)
        self._look_at(len(members))
        if isinstance(selector, selectors.WildcardSelector):
            return members
        return [member for member in members if self._holds(selector.expression.expression, member)]

    def _holds(self, expression: Any, current: Any) -> bool:
        """Whether what stands behind `?` is true of `current`."""
        match expression:
            case filters.LogicalExpression(operator=operator):
                decided = operator == "||"
                if self._holds(expression.left, current) is decided:
                    return decided
                return self._holds(expression.right, current)
            case filters.PrefixExpression():
                return not self._holds(expression.right, current)
            case filters.ComparisonExpression(operator=operator):
                left, right = self._value(expression.left, current), self._value(expression.right, current)
                return self._compare(left, operator, right)
            case _:
                return bool(self._nodes(expression, current))

    def _nodes(self, query: Any, current: Any) -> list[Any]:
        start = self._root if isinstance(query, filters.RootFilterQuery) else current
        return self.follow(query.query, start)

    def _value(self, expression: Any, current: Any) -> Any:
        match expression:
            case filters.IntegerLiteral() | filters.FloatLiteral():
                return _number(expression.token.value)
            case filters.FilterExpressionLiteral():
                return expression.value
            case filters.FunctionExtension(name=name):
                return self._called(name, expression.args[0], current)
            case _:
                return _only(self._nodes(expression, current))

    def _called(self, function: str, argument: Any, current: Any) -> Any:
        if function == "count":
            return len(self._nodes(argument, current))
        if function == "value":
            return _only(self._nodes(argument, current))
        value = self._value(argument, current)
        return len(value) if isinstance(value, str | list | dict) else _NOTHING

    def _compare(self, left: Any, operator: str, right: Any) -> bool:
        match operator:
            case "==":
                return self._equal(left, right)
            case "!=":
                return not self._equal(left, right)
            case "<":
                return _less(left, right)
            case ">":
                return _less(right, left)
            case "<=":
                return _less(left, right) or self._equal(left, right)
            case _:
                return _less(right, left) or self._equal(left, right)

    def _equal(self, left: Any, right: Any) -> bool:
        waiting = [(left, right)]
        while waiting:
            one, other = waiting.pop()
            self._look_at(1)
            if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
                waiting.extend(zip(one, other, strict=True))
            elif isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
                waiting.extend((member, other[key]) for key, member in one.items())
            elif not _same_scalar(one, other):
                return False
        return True


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _number(digits: str) -> int | float:
    """The number that a filter names; the library turns whole ones into floating point on the way."""
    if digits.lstrip("-").isdigit():
        return int(digits)
    number = float(digits)
    if isinf(number):
        raise PathTooCostly(f"the number {digits:.40} in the JSONPath is too large")
    return number


def _only(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else _NOTHING


def _same_scalar(left: Any, right: Any) -> bool:
    if is_number(left) and is_number(right):
        return equal(left, right)
    if left is _NOTHING or right is _NOTHING:
        return left is right
    return type(left) is type(right) and not isinstance(left, list | dict) and bool(left == right)


def _less(left: Any, right: Any) -> bool:
    if is_number(left) and is_number(right):
        return exact(left) < exact(right)
    return isinstance(left, str) and isinstance(right, str) and left < right
