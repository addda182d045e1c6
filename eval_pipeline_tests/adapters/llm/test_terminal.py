"""Who served a response is said by what sent the request, whatever an adapter claims."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from eval_pipeline.adapters.llm.terminal import Terminal
from eval_pipeline.domain.errors import CallError
from eval_pipeline.domain.responses import ModelRequest, ModelResponse, Reply, ServedBy, TokenUsage
from eval_pipeline_tests import builders


@dataclass
class Adapter:
    """Gives one reply, or raises one error."""

    outcome: Reply | BaseException
    sent: list[tuple[str, ModelRequest]] = field(default_factory=list)

    async def complete(self, outbound_model: str, request: ModelRequest) -> Reply:
        self.sent.append((outbound_model, request))
        await asyncio.sleep(0.01)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


def ask(outcome: Reply | BaseException, request: ModelRequest | None = None) -> ModelResponse:
    terminal = Terminal(Adapter(outcome), "eu-west", "tern-large")
    return asyncio.run(terminal.ask(request or builders.request()))


def test_a_request_is_sent_as_it_is_under_the_outbound_name():
    adapter, request = Adapter(Reply("yes")), builders.request("p7")
    asyncio.run(Terminal(adapter, "eu-west", "tern-large").ask(request))
    assert adapter.sent == [("tern-large", request)]


def test_a_response_belongs_to_its_request():
    request = builders.request("p7", repeat=3, key="abc")
    response = ask(Reply("yes"), request)
    assert (response.prompt_id, response.repeat, response.request_key) == ("p7", 3, "abc")


def test_a_reply_is_handed_on_whole():
    reply = Reply("yes", "because", ({"id": "t1"},), "stop", "tern-4-2026", TokenUsage(1, 2), ("flag",))
    response = ask(reply)
    assert (response.reply, response.error) == (reply, None)


@pytest.mark.parametrize("reported", ["tern-4-2026", "tern-large", "heron-2026", None])
def test_what_served_is_what_sent_and_what_the_reply_reports(reported):
    assert ask(Reply("yes", reported_model=reported)).served_by == ServedBy("eu-west", "tern-large", reported)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CallError("HTTP 500 from http://host/v1: broken"), "HTTP 500 from http://host/v1: broken"),
        (ValueError("odd input"), "the adapter raised ValueError: odd input"),
        (KeyError("choices"), "the adapter raised KeyError: 'choices'"),
        (TimeoutError(), "the adapter raised TimeoutError"),
        (RecursionError("too deep"), "the adapter raised RecursionError: too deep"),
        (ExceptionGroup("several", [ValueError("x")]), "the adapter raised ExceptionGroup: several"),
    ],
)
def test_whatever_an_adapter_raises_is_the_error_of_that_prompt_alone(error, told):
    response = ask(error)
    assert response.error.startswith(told)
    assert (response.reply, response.latency_ms) == (None, None)
    assert response.served_by == ServedBy("eu-west", "tern-large", None)


def test_a_long_error_is_cut():
    assert len(ask(ValueError("x" * 100_000)).error) < 1_000


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()])
def test_a_stop_is_no_error_of_a_prompt(error):
    with pytest.raises(type(error)):
        ask(error)


def test_the_time_is_taken_from_sending_to_the_reply():
    assert 5 < ask(Reply("yes")).latency_ms < 5_000
