"""Asking an endpoint over HTTP: a real server answers well, badly, slowly, or not at all."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import web

from eval_pipeline.adapters.llm.addresses import Address, completions_address
from eval_pipeline.adapters.llm.openai_compatible import OpenAICompatible, http_transport
from eval_pipeline.adapters.llm.secrets import Secret
from eval_pipeline.adapters.llm.terminal import Terminal
from eval_pipeline.domain.responses import REPLACED_CHARACTERS, Message, ModelRequest, ModelResponse
from eval_pipeline_tests import builders
from eval_pipeline_tests.http_server import Handler, HttpServer, Received

KEY = "sk-test-THIS-IS-NOT-A-KEY-0000"


@dataclass(frozen=True)
class Exchanged:
    """What came back and what had arrived at the server."""

    responses: list[ModelResponse]
    received: list[Received]
    url: str

    @property
    def error(self) -> str:
        """The error of the only response."""
        (only,) = self.responses
        assert only.reply is None
        return only.error


async def ask_at(
    address: Address, *requests: ModelRequest, secret: Secret, limit: float, places: int
) -> list[ModelResponse]:
    async with http_transport(places) as transport:
        terminal = Terminal(OpenAICompatible(transport, address, secret, limit), "eu-west", "tern-large")
        return list(await asyncio.gather(*map(terminal.ask, requests)))


def ask(
    handler: Handler,
    *requests: ModelRequest,
    key: str | None = None,
    limit: float = 10,
    places: int = 16,
    base_url: str = "{}/v1",
) -> Exchanged:
    """Ask a server that answers through `handler`, all requests at once."""
    with HttpServer(handler) as server:
        address = completions_address(base_url.format(server.url))
        asked = requests or (builders.request(),)
        responses = asyncio.run(ask_at(address, *asked, secret=Secret(key), limit=limit, places=places))
        return Exchanged(responses, server.received, server.url)


def completion(text: str | None = "Lima", **changes: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return {"id": "c1", "model": "tern-4-2026", "choices": [choice], "usage": None, **changes}


def sending(
    body: object, status: int = 200, kind: str = "application/json", headers: Mapping[str, str] | None = None
) -> Handler:
    """A handler that sends one body: bytes as they are, a text in UTF-8, anything else as JSON."""
    content = (
        body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    )

    async def handler(request: web.Request) -> web.Response:
        return web.Response(status=status, body=content, headers={"Content-Type": kind, **(headers or {})})

    return handler


async def never(request: web.Request) -> web.Response:
    await asyncio.sleep(3600)
    return web.Response()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of the loopback interface that nothing listens on, and nothing else can take."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_request_is_sent_as_it_was_given():
    messages = (Message("system", "Be brief."), Message("user", 'What is {"a": "é😀\x00"}?'))
    parameters = {"temperature": 0, "max_tokens": 64, "stop": ["END"], "logit_bias": {"5": -100}}
    (received,) = ask(
        sending(completion()), builders.request(messages=messages, parameters=parameters)
    ).received
    assert (received.method, received.path) == ("POST", "/v1/chat/completions")
    assert received.json == {
        **parameters,
        "model": "tern-large",
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "stream": False,
    }


@pytest.mark.parametrize("name", ["model", "messages", "stream"])
def test_a_parameter_never_replaces_what_the_evaluation_sets(name):
    (received,) = ask(sending(completion()), builders.request(parameters={name: "other"})).received
    assert "other" not in received.json.values()


def test_no_parameter_is_sent_that_nobody_set():
    (received,) = ask(sending(completion())).received
    assert received.json.keys() == {"model", "messages", "stream"}


def test_the_key_is_sent_with_every_request():
    received = ask(sending(completion()), builders.request("p1"), builders.request("p2"), key=KEY).received
    assert [one.headers["Authorization"] for one in received] == [f"Bearer {KEY}"] * 2


def test_nothing_is_sent_for_a_key_where_there_is_none():
    (received,) = ask(sending(completion())).received
    assert "Authorization" not in received.headers


def test_a_reply_comes_with_what_served_it_and_how_long_it_took():
    (response,) = ask(sending(completion("yes"))).responses
    assert response.reply.text == "yes"
    assert response.served_by == builders.SERVED_BY
    assert 0 < response.latency_ms < 10_000


def test_answers_belong_to_their_prompts_in_whatever_order_they_arrive():
    latency = {"one": 0.15, "two": 0.05, "three": 0.1}

    async def handler(request: web.Request) -> web.Response:
        asked = (await request.json())["messages"][0]["content"]
        await asyncio.sleep(latency[asked])
        return web.json_response(completion(f"answer {asked}"))

    requests = [builders.request(f"p-{text}", text) for text in latency]
    responses = ask(handler, *requests).responses
    assert {response.prompt_id: response.reply.text for response in responses} == {
        f"p-{text}": f"answer {text}" for text in latency
    }


def test_the_handed_latencies_do_not_mix_answers_up(shared_cases):
    prompts = json.loads((shared_cases / "misc-06-latencies.json").read_text())["prompts"]
    by_id = {prompt["id"]: prompt for prompt in prompts}

    async def handler(request: web.Request) -> web.Response:
        prompt = by_id[(await request.json())["messages"][0]["content"]]
        await asyncio.sleep(prompt["latency_ms"] / 1000)
        return web.json_response(completion(prompt["answer"]))

    responses = ask(handler, *(builders.request(prompt_id, prompt_id) for prompt_id in by_id)).responses
    assert {response.prompt_id: response.reply.text for response in responses} == {
        "p1": "one",
        "p2": "two",
        "p3": "three",
    }


def test_a_failed_call_leaves_those_beside_it_alone():
    async def handler(request: web.Request) -> web.Response:
        asked = (await request.json())["messages"][0]["content"]
        return (
            web.Response(status=500, text="broken")
            if asked == "bad"
            else web.json_response(completion(asked))
        )

    responses = ask(handler, *(builders.request(text, text) for text in ("good", "bad", "better"))).responses
    assert [response.error is None for response in responses] == [True, False, True]


def test_no_more_requests_are_in_flight_than_there_are_places():
    in_flight, most = 0, 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal in_flight, most
        in_flight += 1
        most = max(most, in_flight)
        await asyncio.sleep(0.03)
        in_flight -= 1
        return web.json_response(completion())

    responses = ask(handler, *(builders.request(f"p{number}") for number in range(9)), places=3).responses
    assert all(response.reply for response in responses)
    assert most == 3


def test_an_endpoint_that_cannot_be_reached_is_named_with_the_cause(closed_port):
    address = completions_address(f"http://someone:hidden@127.0.0.1:{closed_port}/v1?key=hidden")
    (response,) = asyncio.run(ask_at(address, builders.request(), secret=Secret(), limit=5, places=1))
    assert f"http://127.0.0.1:{closed_port}/v1/chat/completions cannot be reached: Connect" in response.error
    assert "hidden" not in response.error


def test_a_host_that_does_not_exist_is_an_error_of_the_prompt():
    address = completions_address("http://nowhere.invalid/v1")
    (response,) = asyncio.run(ask_at(address, builders.request(), secret=Secret(), limit=5, places=1))
    assert address.url in response.error


def test_an_endpoint_that_never_answers_is_given_up_at_the_limit():
    started = time.monotonic()
    exchanged = ask(never, limit=0.3)
    assert time.monotonic() - started < 3
    assert exchanged.error == f"no complete answer within 0.3 s from {exchanged.url}/v1/chat/completions"


def test_an_endpoint_that_answers_byte_by_byte_is_given_up_at_the_limit_too():
    async def dripping(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for byte in json.dumps(completion("x" * 1000)).encode():
            await response.write(bytes([byte]))
            await asyncio.sleep(0.05)
        return response

    started = time.monotonic()
    assert "no complete answer within 0.5 s" in ask(dripping, limit=0.5).error
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "sent",
    [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", b"nonsense\r\n\r\n"],
)
def test_an_endpoint_that_hangs_up_is_an_error_of_the_prompt(sent):
    async def hanging_up(request: web.Request) -> web.Response:
        request.transport.write(sent)
        request.transport.close()
        return web.Response()

    exchanged = ask(hanging_up, base_url="{}/v1?key=hidden")
    assert f"{exchanged.url}/v1/chat/completions cannot be reached: " in exchanged.error
    assert "hidden" not in exchanged.error


def test_a_larger_reply_than_is_read_is_an_error():
    assert "larger than" in ask(sending(completion("x" * 20_000_001))).error


def test_a_larger_reply_than_is_read_is_not_waited_for():
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for _ in range(25):
            await response.write(b" " * 1_000_000)
        return await never(request)

    assert "larger than" in ask(endless, limit=3).error


def test_a_compressed_reply_counts_at_its_full_size():
    bomb = gzip.compress(b" " * 30_000_000)
    assert "larger than" in ask(sending(bomb, headers={"Content-Encoding": "gzip"})).error


def test_a_compressed_reply_is_read():
    packed = gzip.compress(json.dumps(completion("yes")).encode())
    (response,) = ask(sending(packed, headers={"Content-Encoding": "gzip"})).responses
    assert response.reply.text == "yes"


def test_a_reply_that_is_not_compressed_as_it_says_is_an_error():
    assert "/v1/chat/completions" in ask(sending(completion(), headers={"Content-Encoding": "gzip"})).error


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"error": {"message": "told by it", "code": "some_code"}}', "told by it (some_code)"),
        ('{"error": {"message": "told by it", "type": "some_type"}}', "told by it (some_type)"),
        ('{"error": "told by it"}', "told by it"),
        ('{"detail": "told by it"}', "told by it"),
        ('{"message": "told by it"}', "told by it"),
        ('["told by it"]', "told by it"),
        ('"told by it"', "told by it"),
        ("told by it", "told by it"),
        (json.dumps(completion("told by it")), "choices"),
        ("null", "null"),
        ("", "is not JSON"),
    ],
)
def test_a_status_of_failure_is_an_error_with_status_address_and_message(body, told):
    async def handler(request: web.Request) -> web.Response:
        status = int((await request.json())["messages"][0]["content"])
        return web.Response(status=status, text=body, content_type="application/json")

    statuses = ("400", "401", "403", "404", "408", "413", "422", "429", "500", "502", "503", "504", "529")
    exchanged = ask(handler, *(builders.request(status, status) for status in statuses))
    assert len(exchanged.received) == len(statuses)
    for response in exchanged.responses:
        assert f"HTTP {response.prompt_id} from {exchanged.url}/v1/chat/completions" in response.error
        assert told in response.error


def test_a_wrong_address_is_told_with_the_address_that_was_asked_but_no_credentials():
    exchanged = ask(sending({"detail": "Not Found"}, 404), base_url="{}/proxy?key=hidden-part")
    assert exchanged.received[0].path == "/proxy/chat/completions?key=hidden-part"
    assert f"HTTP 404 from {exchanged.url}/proxy/chat/completions: " in exchanged.error
    assert "check the base_url" in exchanged.error
    assert "hidden-part" not in exchanged.error


@pytest.mark.parametrize("key", [None, KEY])
def test_credentials_in_the_address_are_sent_but_not_shown(key):
    with HttpServer(sending({"detail": "Not Found"}, 404)) as server:
        address = completions_address(server.url.replace("//", "//someone:hidden@"))
        (response,) = asyncio.run(ask_at(address, builders.request(), secret=Secret(key), limit=5, places=1))
        assert f"HTTP 404 from {server.url}/v1/chat/completions" in response.error
        assert "hidden" not in response.error
        assert "Authorization" in server.received[0].headers


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nobody_is_sent_elsewhere_with_the_key(status):
    with HttpServer(sending(completion())) as elsewhere:
        redirecting = sending("", status, headers={"Location": f"{elsewhere.url}/v1/chat/completions"})
        assert f"HTTP {status}" in ask(redirecting, key=KEY).error
        assert elsewhere.received == []


@pytest.mark.parametrize(
    "key", [KEY, "0123456789abcdef0123456789abcdef", "a/b+c==/d+e==", 'quote"d-key-of-mine']
)
@pytest.mark.parametrize(
    "body",
    [
        lambda text: json.dumps({"error": {"message": text, "code": "invalid_api_key"}}),
        lambda text: json.dumps({"error": text}),
        lambda text: json.dumps({"detail": [{"input": text}]}),
        json.dumps,
        lambda text: f"<html>{text}</html>",
    ],
    ids=["message", "error", "detail", "json text", "html"],
)
def test_a_key_that_the_endpoint_repeats_does_not_show_in_whole_or_in_part(key, body):
    async def handler(request: web.Request) -> web.Response:
        distance = int((await request.json())["messages"][0]["content"])
        return web.Response(status=401, text=body("." * distance + f"{key} is no key"))

    asked = [builders.request(f"p{distance}", str(distance)) for distance in range(0, 210, 5)]
    errors = [response.error for response in ask(handler, *asked, key=key).responses]
    assert all("HTTP 401" in error for error in errors)
    parts = [key[start : start + 6] for start in range(len(key) - 5)]
    assert [error for error in errors if any(part in error for part in parts)] == []


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": f"bad key {KEY}"}},
        completion(choices=[{"error": f"bad key {KEY}", "message": {}}]),
        f"bad key {KEY}",
        [f"bad key {KEY}"],
    ],
)
def test_a_key_does_not_show_in_the_error_of_a_reply_of_success(body):
    error = ask(sending(body), key=KEY).error
    assert "bad key ***" in error


@pytest.mark.parametrize("key", ["sk-line\nend", "sk-return\rend", "schlüssel-0123456789", "sk-zero\0end"])
def test_a_key_that_no_header_can_carry_does_not_show_in_the_error(key):
    error = ask(sending(completion()), key=key).error
    assert [part for part in key.split() if part in error] == []


@pytest.mark.parametrize("status", [200, 502, 504])
@pytest.mark.parametrize("kind", ["text/html", "text/html; charset=utf-8", "application/json"])
def test_a_page_instead_of_a_reply_is_an_error_with_its_status_and_beginning(status, kind):
    page = "<!doctype html><html><title>Gateway Time-out</title>" + "x" * 5000
    error = ask(sending(page, status, kind)).error
    assert f"HTTP {status}" in error
    assert "is not JSON" in error
    assert kind.partition(";")[0] in error
    assert "Gateway Time-out" in error
    assert len(error) < 1000


@pytest.mark.parametrize("status", [200, 504])
def test_the_handed_page_is_an_error_with_its_status_and_beginning(shared_cases, status):
    error = ask(sending((shared_cases / "api-15-html.html").read_bytes(), status, "text/html")).error
    assert f"HTTP {status}" in error
    assert "504 Gateway Time-out" in error


EVENTS = f"data: {json.dumps(completion())}\n\ndata: [DONE]\n\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (EVENTS, "text/event-stream"),
        (EVENTS, "text/event-stream; charset=utf-8"),
        (EVENTS, "Text/Event-Stream"),
        (EVENTS, "application/json"),
        (f": comment\n\nevent: message\n{EVENTS}", "text/plain"),
        (f"{json.dumps(completion())}\ndata: [DONE]\n", "application/json"),
    ],
)
def test_an_event_stream_that_nobody_asked_for_is_an_error_that_names_it(body, kind):
    assert "event stream" in ask(sending(body, kind=kind)).error


@pytest.mark.parametrize(
    "body",
    [
        "",
        " ",
        "null",
        "[]",
        "5",
        '"Lima"',
        "{",
        "{}",
        '{"choices": []}',
        '{"choices": null}',
        "NaN",
        '{"choices": NaN}',
    ],
)
@pytest.mark.parametrize("status", [200, 201])
def test_a_reply_that_is_no_chat_completion_is_an_error_in_words(body, status):
    error = ask(sending(body, status)).error
    assert error
    assert "raised" not in error


@pytest.mark.parametrize(
    "deep", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"choices":' * 5000 + "1" + "}" * 5000]
)
def test_a_deep_reply_is_an_error_like_any_other(deep):
    assert "is not JSON" in ask(sending(deep)).error


def test_a_reply_of_status_200_may_still_be_an_error():
    error = ask(sending({"error": {"message": "upstream overloaded", "code": 502}})).error
    assert error == "the endpoint answered with an error: upstream overloaded (502)"


def test_bytes_that_are_no_text_are_replaced_and_flagged():
    body = json.dumps(completion("bl?b?r")).encode().replace(b"?", b"\xe5")
    (response,) = ask(sending(body)).responses
    assert response.reply.text == "bl\ufffdb\ufffdr"
    assert response.reply.flags == (REPLACED_CHARACTERS,)


def test_a_replacement_character_that_was_really_sent_is_not_flagged():
    (response,) = ask(sending(json.dumps(completion("a\ufffdb"), ensure_ascii=False))).responses
    assert (response.reply.text, response.reply.flags) == ("a\ufffdb", ())


@pytest.mark.parametrize(
    ("written", "text", "flags"),
    [
        (r"K\u0000f2rsou", "K\x00f2rsou", ()),
        (r"smile \ud83d", "smile \ufffd", (REPLACED_CHARACTERS,)),
        (r"\ud83d\ude00", "😀", ()),
    ],
)
def test_escapes_in_an_answer_are_read_or_replaced(written, text, flags):
    body = json.dumps(completion("ANSWER")).replace("ANSWER", written)
    (response,) = ask(sending(body)).responses
    assert (response.reply.text, response.reply.flags) == (text, flags)


def test_a_byte_order_mark_before_a_reply_is_passed_over():
    (response,) = ask(sending(b"\xef\xbb\xbf" + json.dumps(completion("yes")).encode())).responses
    assert response.reply.text == "yes"


def test_the_kind_of_a_reply_does_not_decide_what_is_read():
    (response,) = ask(sending(completion("yes"), kind="text/plain")).responses
    assert response.reply.text == "yes"


def test_a_request_that_cannot_be_written_is_an_error_of_the_prompt():
    requests = [
        builders.request("p1", "half \ud83d"),
        builders.request("p2", parameters={"x": float("nan")}),
        builders.request("p3"),
    ]
    first, second, third = ask(sending(completion()), *requests).responses
    assert first.error
    assert second.error
    assert third.reply.text == "Lima"


def test_the_handed_error_that_repeats_a_key_is_told_without_it(shared_cases):
    error = ask(sending((shared_cases / "api-27-key-in-error.json").read_bytes(), 401), key="another").error
    assert "Incorrect API key provided: ***" in error


def test_the_handed_rate_limit_is_told_with_its_status(shared_cases):
    error = ask(sending((shared_cases / "api-17-rate-429.json").read_bytes(), 429)).error
    assert "HTTP 429" in error
    assert "Rate limit reached (rate_limit_exceeded)" in error


def test_the_handed_half_character_arrives_replaced(shared_cases):
    (response,) = ask(sending((shared_cases / "api-25-surrogate-content.json").read_bytes())).responses
    assert (response.reply.text, response.reply.flags) == ("smile \ufffd", (REPLACED_CHARACTERS,))
