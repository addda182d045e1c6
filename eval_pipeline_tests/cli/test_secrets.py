"""API keys and passwords: nowhere in what is printed, stored or written, whatever an endpoint echoes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web
from sqlalchemy import make_url

from eval_pipeline_tests.cli.conftest import CommandLine, Ran
from eval_pipeline_tests.http_server import HttpServer
from eval_pipeline_tests.stored import everything_in

KEY = "Zx9-very.Private_Key~of/ours=="
PASSWORD = "hunter2-of-ours"
PADDINGS = range(150, 200, 7)
MODELS = """
project: acme
default_model: live
providers:
  live: {kind: openai, base_url: "${LIVE_URL}", api_key_env: LIVE_KEY}
models:
  live: {provider: live}
"""
SET = "id: acme.echo\nprompts:\n" + "".join(
    f"  - {{id: {how}, prompt: {how}, assert: [{{contains: x}}]}}\n"
    for how in ["json", "html", "status-200", "header", "redirect", *(f"cut-{n}" for n in PADDINGS)]
)


async def echo(request: web.Request) -> web.StreamResponse:
    """Refuses every request and repeats its key, each prompt in another way."""
    header = request.headers["Authorization"]
    how = (await request.json())["messages"][-1]["content"]
    if how == "html":
        return web.Response(status=401, text=f"<p>wrong: {header}</p>", content_type="text/html")
    if how == "status-200":
        return web.json_response({"error": {"message": f"wrong: {header}"}})
    if how == "header":
        return web.Response(status=401, headers={"X-Echo": header}, text="", content_type="text/plain")
    if how == "redirect":
        raise web.HTTPTemporaryRedirect(f"/elsewhere?key={KEY}")
    padding = "." * int(how.removeprefix("cut-")) if how.startswith("cut-") else ""
    return web.json_response({"error": {"message": f"{padding}{header}", "code": KEY}}, status=401)


@pytest.fixture(scope="module")
def evaluation(
    tmp_path_factory: pytest.TempPathFactory, new_dagster_url: Callable[[], str]
) -> tuple[CommandLine, dict[str, Ran]]:
    """The command after an evaluation of an endpoint that echoes, with everything that it said."""
    url = make_url(new_dagster_url()).set(password=PASSWORD).render_as_string(hide_password=False)
    cli = CommandLine(tmp_path_factory.mktemp("secrets"), url)
    cli.write({"models.yaml": MODELS, "prompts/echo.yaml": SET})
    with HttpServer(echo) as server:
        variables = {"LIVE_URL": server.url, "LIVE_KEY": KEY}
        said = {"run": cli("run", "acme.echo", **variables)}
        said["check"] = cli("models", "check", "live", **variables)
        said["result"] = cli("results", "show", "1", "--json", **variables)
        said["models"] = cli("models", "list", "--json", **variables)
        assert server.received
    return cli, said


def found_in(text: str) -> list[str]:
    """The secrets, and beginnings of the key that are long enough to be of use, that are in a text."""
    return [secret for secret in (KEY, KEY[:8], PASSWORD) if secret in text]


def test_every_prompt_is_an_error_with_the_endpoints_reason(
    evaluation: tuple[CommandLine, dict[str, Ran]],
) -> None:
    run = evaluation[1]["run"]
    assert run.status == 3
    assert "HTTP 401" in run.stdout
    assert "0 of 0 graded" in run.said


def test_no_secret_is_printed(evaluation: tuple[CommandLine, dict[str, Ran]]) -> None:
    for ran in evaluation[1].values():
        assert found_in(ran.stdout + ran.stderr) == []


def test_no_secret_is_in_any_table_dagsters_included(
    evaluation: tuple[CommandLine, dict[str, Ran]],
) -> None:
    tables = everything_in(evaluation[0].database_url or "")
    assert "HTTP 401" in tables
    assert "evaluate_deterministic" in tables
    assert found_in(tables) == []


def test_no_secret_is_in_any_file_below_the_home_or_the_working_folder(
    evaluation: tuple[CommandLine, dict[str, Ran]],
) -> None:
    files = [path for path in evaluation[0].folder.rglob("*") if path.is_file()]
    assert evaluation[0].home / "dagster" / "dagster.yaml" in files
    assert {path: found for path in files if (found := found_in(content(path)))} == {}


def content(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")
