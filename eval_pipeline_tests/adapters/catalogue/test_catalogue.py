"""Everything that a project and installed packages declare, under unique names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.domain.errors import DefinitionError, UsageError
from eval_pipeline.domain.model_catalogue import OpenAIProvider, Price

SET = "id: {}\nprompts:\n  - {{id: p1, prompt: Hi, assert: [{{contains: x}}]}}\n".format
MODELS = """\
project: acme
default_model: tern
providers:
  eu-west: {kind: openai, base_url: "${GATEWAY}", api_key_env: GATEWAY_KEY}
models:
  tern: {provider: eu-west, model: tern-large, parameters: {temperature: 0}, price: {input: 1, output: 2}}
  heron: {provider: eu-west}
"""
ENVIRONMENT = {"GATEWAY": "http://host.example/v1", "GATEWAY_KEY": "secret-value"}
PYTHON = """\
from eval_pipeline.domain.assertions import Contains
from eval_pipeline.domain.golden_sets import GoldenPrompt, GoldenPromptSet

good = GoldenPrompt(id="p1", prompt="Hi", reference="x")

def golden_prompt_sets():
    prompts = [GoldenPrompt(id="p1", prompt="Hi", assertions=[Contains("x")])]
    yield GoldenPromptSet(id="acme.one", prompts=prompts)
    yield GoldenPromptSet({})
""".format
TWO = PYTHON('id="acme.two", prompts=[good]')


def catalogue(folder: Path, files: Mapping[str, str] | None = None, **environment: str) -> Catalogue:
    """The catalogue of a project of these files."""
    for name, content in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Catalogue.load(folder, environment)


def test_a_project_need_not_exist_to_have_what_is_shipped(tmp_path):
    shipped = catalogue(tmp_path / "nowhere")
    assert shipped.sets["eval_pipeline.smoke"].example
    assert (shipped.project, shipped.default_model) == ("default", "smollm2-135m")
    assert shipped.model_keys == ["smollm2-135m"]


def test_sets_come_from_yaml_json_and_python_in_the_order_of_their_ids(tmp_path):
    files = {"prompts/z.yaml": SET("acme.a"), "prompts/a.yml": SET("acme.b"), "prompts/m.py": TWO}
    files["prompts/j.json"] = '{"id": "acme.c", "prompts": [{"id": "p", "prompt": "Hi", "reference": "x"}]}'
    declared = catalogue(tmp_path, files)
    own = [set_id for set_id, one in declared.sets.items() if not one.example]
    assert own == ["acme.a", "acme.b", "acme.c", "acme.one", "acme.two"]
    assert declared.faults == ()
    assert declared.sets["acme.one"].source == str(tmp_path / "prompts" / "m.py")


def test_a_project_has_its_own_name_and_default_model_before_what_is_shipped(tmp_path):
    declared = catalogue(tmp_path, {"models.yaml": MODELS})
    assert (declared.project, declared.default_model) == ("acme", "tern")
    assert declared.model_keys == ["heron", "smollm2-135m", "tern"]


@pytest.mark.parametrize("name", ["models.yaml", "models.yml", "models.json"])
def test_models_may_be_declared_in_yaml_or_in_json(tmp_path, name):
    content = '{"providers": {"p": {"kind": "llama_cpp"}}, "models": {"tern": {"provider": "p"}}}'
    assert "tern" in catalogue(tmp_path, {name: content}).model_keys


def test_a_second_models_file_is_not_passed_over(tmp_path):
    with pytest.raises(DefinitionError, match=r"models\.json"):
        catalogue(tmp_path, {"models.yaml": MODELS, "models.json": '{"project": "other"}'})


def test_a_faulty_models_file_is_refused(tmp_path):
    with pytest.raises(DefinitionError, match=r"models\.yaml:2: unknown key"):
        catalogue(tmp_path, {"models.yaml": "project: acme\nmodles: {}\n"})


def test_a_model_is_resolved_with_its_provider_and_the_environment(tmp_path):
    resolved = catalogue(tmp_path, {"models.yaml": MODELS}, **ENVIRONMENT).model("tern")
    assert (resolved.key, resolved.provider_key, resolved.outbound_model) == ("tern", "eu-west", "tern-large")
    assert resolved.provider == OpenAIProvider(
        kind="openai", base_url="http://host.example/v1", api_key_env="GATEWAY_KEY"
    )
    assert (resolved.parameters, resolved.price) == ({"temperature": 0}, Price(input=1.0, output=2.0))


def test_a_model_is_sent_under_its_key_unless_it_says_otherwise(tmp_path):
    assert (
        catalogue(tmp_path, {"models.yaml": MODELS}, **ENVIRONMENT).model("heron").outbound_model == "heron"
    )


def test_the_name_of_a_model_may_come_from_the_environment(tmp_path):
    files = {"models.yaml": MODELS.replace("model: tern-large", 'model: "${TERN}"')}
    assert catalogue(tmp_path, files, TERN="tern-4", **ENVIRONMENT).model("tern").outbound_model == "tern-4"


def test_a_variable_that_is_not_set_is_told_when_the_model_is_asked_for(tmp_path):
    declared = catalogue(tmp_path, {"models.yaml": MODELS}, GATEWAY="http://host.example/v1")
    with pytest.raises(DefinitionError, match="the environment variable GATEWAY_KEY is not set"):
        declared.model("tern")


def test_a_catalogue_does_not_show_the_environment(tmp_path):
    assert "secret-value" not in repr(catalogue(tmp_path, {"models.yaml": MODELS}, **ENVIRONMENT))


def test_an_unknown_model_or_set_is_told_with_what_may_be_meant(tmp_path):
    declared = catalogue(tmp_path, {"models.yaml": MODELS, "prompts/a.yaml": SET("acme.support")})
    with pytest.raises(UsageError, match=r"no model 'tren'; did you mean 'tern'"):
        declared.model("tren")
    with pytest.raises(UsageError, match=r"'acme\.suport'; did you mean 'acme\.support'"):
        declared.golden_prompt_set("acme.suport")


def test_a_set_is_meant_for_its_own_models_or_for_the_default_model(tmp_path):
    files = {
        "models.yaml": MODELS,
        "prompts/a.yaml": SET("acme.a"),
        "prompts/b.yaml": SET("acme.b") + "models: [heron]",
    }
    declared = catalogue(tmp_path, files)
    assert declared.models_for(declared.golden_prompt_set("acme.a")) == ["tern"]
    assert declared.models_for(declared.golden_prompt_set("acme.b")) == ["heron"]


def test_a_model_says_where_it_is_declared(tmp_path):
    declared = catalogue(tmp_path, {"models.yaml": MODELS})
    assert declared.model_source("tern") == str(tmp_path / "models.yaml")
    assert "eval_pipeline.adapters.catalogue.examples" in declared.model_source("smollm2-135m")


def test_a_faulty_set_does_not_block_the_others(tmp_path):
    declared = catalogue(
        tmp_path, {"prompts/a.yaml": SET("acme.a"), "prompts/b.yaml": SET("acme.b") + "owners: x"}
    )
    assert declared.golden_prompt_set("acme.a").id == "acme.a"
    with pytest.raises(DefinitionError, match=r"b\.yaml:4: set acme\.b: unknown key 'owners'"):
        declared.golden_prompt_set("acme.b")


def test_a_faulty_set_is_refused_for_its_own_faults_alone(tmp_path):
    declared = catalogue(
        tmp_path,
        {"prompts/a.yaml": SET("acme.a") + "owners: x", "prompts/b.yaml": SET("acme.b") + "modles: x"},
    )
    with pytest.raises(DefinitionError) as refused:
        declared.golden_prompt_set("acme.b")
    assert [Path(found.source).name for found in refused.value.faults] == ["b.yaml"]


def test_a_set_that_may_stand_in_an_unreadable_file_is_refused_for_that_file(tmp_path):
    with pytest.raises(DefinitionError, match=r"a\.yaml:1: not YAML"):
        catalogue(tmp_path, {"prompts/a.yaml": "id: acme.a: x"}).golden_prompt_set("acme.a")


@pytest.mark.parametrize(
    ("files", "named"),
    [
        (
            {
                "a.yaml": SET("acme.one"),
                "b.json": '{"id": "acme.one", "prompts": [{"id": "p", "prompt": "Hi", "reference": "x"}]}',
            },
            ["a.yaml", "b.json"],
        ),
        ({"a.yaml": SET("acme.one"), "b.py": TWO}, ["a.yaml", "b.py"]),
        ({"b.py": TWO.replace("acme.two", "acme.one")}, ["b.py and in", "b.py"]),
        ({"a.yaml": SET("eval_pipeline.smoke")}, ["a.yaml", "eval_pipeline.adapters.catalogue.examples"]),
    ],
)
def test_an_identifier_that_two_sources_declare_is_refused_and_both_are_named(tmp_path, files, named):
    declared = catalogue(tmp_path, {f"prompts/{name}": content for name, content in files.items()})
    (found,) = declared.faults
    assert found.set_id not in declared.sets
    assert "declared twice" in found.reason
    assert [name for name in named if name not in found.reason] == []
    with pytest.raises(DefinitionError, match="declared twice"):
        declared.golden_prompt_set(found.set_id)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("providers: {local: {kind: llama_cpp}}", "provider 'local'"),
        ("providers: {p: {kind: llama_cpp}}\nmodels: {smollm2-135m: {provider: p}}", "model 'smollm2-135m'"),
    ],
)
def test_a_provider_or_model_that_two_sources_declare_is_refused_and_both_are_named(tmp_path, content, name):
    with pytest.raises(DefinitionError) as refused:
        catalogue(tmp_path, {"models.yaml": content})
    told = str(refused.value)
    assert f"the {name} is declared twice" in told
    assert str(tmp_path / "models.yaml") in told
    assert "eval_pipeline.adapters.catalogue.examples" in told


def test_prompts_that_no_set_takes_are_told(tmp_path):
    line = '{"id": "p1", "prompt": "Hi", "reference": "x"}'
    taking = "id: acme.a\nprompts: ['file://taken.jsonl']\n"
    declared = catalogue(
        tmp_path, {"prompts/a.yaml": taking, "prompts/taken.jsonl": line, "prompts/left.jsonl": line}
    )
    assert [Path(found.source).name for found in declared.faults] == ["left.jsonl"]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        pytest.param(
            "def golden_prompt_sets():\n    raise ValueError('no luck')\n", 2, "no luck", id="raises"
        ),
        pytest.param("x = 1\ny = x / 0\n", 2, "division by zero", id="raises at import"),
        pytest.param(
            "import nowhere_to_be_found\n", 1, "nowhere_to_be_found", id="imports what is not there"
        ),
        pytest.param("x = 1\ndef golden_prompt_sets(:\n", 2, "SyntaxError", id="syntax"),
        pytest.param("def golden_prompt_sets():\nreturn []\n", 2, "IndentationError", id="indentation"),
        pytest.param("x = 'a\0b'\n", None, "null bytes", id="zero bytes"),
        pytest.param(
            "def golden_prompt_sets():\n    return golden_prompt_sets()\n",
            2,
            "RecursionError",
            id="recursion",
        ),
        pytest.param("raise SystemExit(0)\n", 1, "SystemExit", id="exits"),
        pytest.param(
            "import sys\ndef golden_prompt_sets():\n    sys.exit('done')\n", 3, "SystemExit", id="exits later"
        ),
        pytest.param("x = 1\n", None, "no function golden_prompt_sets", id="no function"),
        pytest.param("golden_prompt_sets = []\n", None, "not callable", id="no callable"),
        pytest.param(
            "def golden_prompt_sets(x):\n    return []\n", None, "golden_prompt_sets", id="wants something"
        ),
        pytest.param("def golden_prompt_sets():\n    return None\n", None, "None", id="gives nothing"),
        pytest.param(
            "def golden_prompt_sets():\n    return ['x']\n", None, "no GoldenPromptSet", id="gives texts"
        ),
        pytest.param(
            "def golden_prompt_sets():\n    return [{'id': 'acme.a'}]\n",
            None,
            "no GoldenPromptSet",
            id="gives mappings",
        ),
    ],
)
def test_python_that_fails_is_a_fault_of_its_file_and_line(tmp_path, content, line, reason):
    declared = catalogue(tmp_path, {"prompts/a.py": content, "prompts/b.yaml": SET("acme.b")})
    (found,) = declared.faults
    assert reason in found.reason
    assert found.source == str(tmp_path / "prompts" / "a.py")
    assert line in (None, found.line)
    assert "acme.b" in declared.sets


@pytest.mark.parametrize(
    "arguments",
    [
        'id="Acme", prompts=[good]',
        'id="acme.two", prompts=[]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi")]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi", assertions=[Contains("")])]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="{{name}}", reference="x")]',
        'id="acme.two", prompts=[good] * 2',
        'id="acme.two", prompts=[good], parameters={"model": "y"}',
        'id="acme.two", prompts=[good], parameters={"x": float("nan")}',
        'id="acme.two", prompts=[good], parameters={"x": object()}',
        'id="acme.two", prompts=[GoldenPrompt(id=7, prompt="Hi", reference="x")]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt=7, reference="x")]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi", reference=7)]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi", reference="x", vars={"a": 1})]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi", assertions=["contains"])]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi", assertions=Contains("x"))]',
        'id="acme.two", prompts=[GoldenPrompt(id="p1", prompt="Hi", reference="x", tags="ci")]',
        'id="acme.two", prompts=[good], models="tern"',
    ],
)
def test_a_set_in_python_keeps_to_the_rules_of_a_set_in_a_file(tmp_path, arguments):
    declared = catalogue(tmp_path, {"prompts/a.py": PYTHON(arguments)})
    assert [found.source for found in declared.faults] == [str(tmp_path / "prompts" / "a.py")]
    assert "acme.two" not in declared.sets


def test_python_beside_sets_may_hold_classes_that_look_up_their_module(tmp_path):
    before = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    before += "@dataclass\nclass Row:\n    x: int\n"
    assert catalogue(tmp_path, {"prompts/a.py": before + TWO}).sets.keys() > {"acme.one", "acme.two"}


def test_a_file_whose_name_is_no_text_is_told_in_words_that_can_be_printed(tmp_path):
    folder = tmp_path / "prompts"
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.yaml")).write_text("id: acme.a: x")
    (found,) = catalogue(tmp_path).faults
    assert "bad" in str(found).encode().decode()


def test_what_is_no_declaration_is_left_alone(tmp_path):
    files = {"prompts/README.md": "# Notes", "prompts/answer.md": "Hi {{x}}", "prompts/notes/a.txt": "x"}
    declared = catalogue(tmp_path, files)
    assert declared.faults == ()
    assert declared.sets.keys() == {"eval_pipeline.smoke"}
