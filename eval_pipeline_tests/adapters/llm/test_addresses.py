from __future__ import annotations

import pytest

from eval_pipeline.adapters.llm.addresses import completions_address
from eval_pipeline.domain.errors import DefinitionError


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://host:8000", "http://host:8000/v1/chat/completions"),
        ("http://host:8000/", "http://host:8000/v1/chat/completions"),
        ("http://host:8000/v1", "http://host:8000/v1/chat/completions"),
        ("http://host:8000/v1/", "http://host:8000/v1/chat/completions"),
        ("http://host:8000/v1//", "http://host:8000/v1/chat/completions"),
        ("https://host/proxy/openai/v1/", "https://host/proxy/openai/v1/chat/completions"),
        ("https://host/openai/deployments/x", "https://host/openai/deployments/x/chat/completions"),
        ("http://host:8000/v1/chat/completions", "http://host:8000/v1/chat/completions"),
        ("http://host:8000/v1/chat/completions/", "http://host:8000/v1/chat/completions"),
        ("http://host:8000/v1?api-version=1", "http://host:8000/v1/chat/completions?api-version=1"),
        ("http://host:8000?api-version=1", "http://host:8000/v1/chat/completions?api-version=1"),
        (" http://host:8000/v1\t\n", "http://host:8000/v1/chat/completions"),
        ("HTTPS://Host/v1", "https://host/v1/chat/completions"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"),
        ("http://a:b@host/v1", "http://host/v1/chat/completions"),
    ],
)
def test_the_address_of_chat_completions_follows_from_the_base_url(base_url, url):
    assert completions_address(base_url).url == url


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        " ",
        "host.example:8000/v1",
        "host",
        "/v1",
        "//host/v1",
        "ftp://host/v1",
        "file:///v1",
        "http:/host/v1",
        "http://",
        "http:///v1",
        "http://:8000/v1",
        "http://host:port/v1",
        "http://host:99999/v1",
        "http://[::1/v1",
        "http://a b/v1",
        "http://user@/v1",
    ],
)
def test_what_is_no_address_is_refused(base_url):
    with pytest.raises(DefinitionError, match="base_url"):
        completions_address(base_url)


@pytest.mark.parametrize(
    "base_url",
    [
        "someone:hidden@host.example/v1",
        "ftp://someone:hidden@host/v1",
        "//someone:hidden@host/v1",
        "http://someone:hidden@/v1",
        "http://someone:hidden@host:port/v1",
        "http://host:port/v1?key=hidden",
    ],
)
def test_what_is_no_address_is_refused_without_its_credentials(base_url):
    with pytest.raises(DefinitionError) as refused:
        completions_address(base_url)
    assert "hidden" not in str(refused.value)


def test_the_handed_base_urls_lead_to_one_address_each(shared_cases):
    lines = (shared_cases / "misc-05-base-urls.txt").read_text().splitlines()
    host = "http://host.example:8000"
    with pytest.raises(DefinitionError):
        completions_address(lines.pop(7))
    assert [completions_address(line).url for line in lines] == [
        *[f"{host}/v1/chat/completions"] * 4,
        f"{host}/proxy/openai/v1/chat/completions",
        f"{host}/v1/chat/completions",
        f"{host}/v1/chat/completions?api-version=1",
        f"{host}/v1/chat/completions",
    ]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://host:1/v1", "http://host:1/v1/chat/completions"),
        ("http://a:b@host:1/v1", "http://host:1/v1/chat/completions"),
        ("http://a:b@c@host/v1", "http://host/v1/chat/completions"),
        ("http://token@host/v1?key=x#y", "http://host/v1/chat/completions"),
    ],
)
def test_an_address_is_shown_without_credentials_and_query(url, shown):
    assert completions_address(url).shown == shown
