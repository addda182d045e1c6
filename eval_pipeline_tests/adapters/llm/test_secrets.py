"""API keys: where they come from, and that they show nowhere."""

from __future__ import annotations

import pytest

from eval_pipeline.adapters.llm.secrets import Secret, read_secret
from eval_pipeline.domain.errors import DefinitionError

KEY = "sk-test-THIS-IS-NOT-A-KEY-0000"


def test_a_key_comes_from_the_environment_without_white_space_around_it():
    assert read_secret({"KEY": f" {KEY}\n"}, "KEY", None) == Secret(KEY)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "  \n\n"])
def test_a_key_comes_from_a_mounted_file_without_its_line_end(tmp_path, ending):
    (tmp_path / "key").write_bytes(f"{KEY}{ending}".encode())
    assert read_secret({}, None, str(tmp_path / "key")) == Secret(KEY)


def test_a_key_file_may_carry_a_byte_order_mark(tmp_path):
    (tmp_path / "key").write_bytes(b"\xef\xbb\xbf" + KEY.encode())
    assert read_secret({}, None, str(tmp_path / "key")) == Secret(KEY)


def test_no_key_is_read_where_none_is_named():
    assert read_secret({"KEY": KEY}, None, None) == Secret(None)


@pytest.mark.parametrize("environment", [{}, {"KEY": ""}, {"KEY": " \n"}, {"key": KEY}])
def test_a_variable_without_a_key_is_refused_by_name(environment):
    with pytest.raises(DefinitionError, match="the environment variable KEY is not set"):
        read_secret(environment, "KEY", None)


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfes\x00k\x00", b"k\xe5y"])
def test_a_file_without_a_key_is_refused_by_name(tmp_path, content):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(DefinitionError, match=r"api_key_file .*key"):
        read_secret({}, None, str(tmp_path / "key"))


@pytest.mark.parametrize("name", ["missing", ".", "a\0b"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name):
    with pytest.raises(DefinitionError, match="api_key_file"):
        read_secret({}, None, str(tmp_path / name))


@pytest.mark.parametrize("key", ["sk-\nAuthorization: x", "sk-a\rb", "sk-a\0b", "schlüssel", "sk-\u200btest"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key):
    with pytest.raises(DefinitionError) as refused:
        read_secret({"KEY": key}, "KEY", None)
    assert key not in str(refused.value)
    assert "KEY" in str(refused.value)


def test_a_key_comes_from_one_place_only(tmp_path):
    (tmp_path / "key").write_text(KEY)
    with pytest.raises(DefinitionError, match="not both"):
        read_secret({"KEY": KEY}, "KEY", str(tmp_path / "key"))


def test_a_key_is_no_part_of_its_representation():
    assert KEY not in f"{Secret(KEY)!r} {Secret(KEY)}"


@pytest.mark.parametrize("key", [KEY, "plain", "a.b*c(", "p/q+r=="])
def test_a_text_is_masked_wherever_it_holds_the_key(key):
    assert Secret(key).masked(f"{key} is wrong: '{key}', <{key}>.") == "*** is wrong: '***', <***>."


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-0123456789abcdef",
        "Bearer abcdef0123456789",
        "Authorization: Bearer abc.def-ghi_jkl",
        "ghp-0123456789abcdef",
        "xoxb-0123456789",
    ],
)
def test_a_text_is_masked_where_it_holds_what_looks_like_a_key(text):
    masked = Secret("another").masked(f"got {text}")
    assert "***" in masked
    assert text.split(" ")[-1] not in masked


@pytest.mark.parametrize(
    "text",
    ["", "HTTP 404 from http://host/v1", "the task-force of disk-usage", "risk-assessment", "Bearer of news"],
)
@pytest.mark.parametrize("secret", [Secret(), Secret(""), Secret(KEY)])
def test_a_text_without_a_key_stays_as_it_is(secret, text):
    assert secret.masked(text) == text
