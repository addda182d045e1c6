"""From nothing to a result: the embedded model and the embedded database, as a first user meets them."""

from __future__ import annotations

from eval_pipeline_tests.cli.conftest import CommandLine


def test_the_facts_of_the_smoke_set_are_evaluated_for_real_and_their_result_is_kept(
    first_user: CommandLine,
) -> None:
    ran = first_user("run", "eval_pipeline.smoke", "--tag", "fact", "--json")
    assert ran.status == 0, ran.stderr
    [result] = ran.json["results"]
    assert (result["prompt_count"], result["graded_count"], result["error_count"]) == (6, 6, 0)
    assert result["model_id"] == "SmolLM2-135M-Instruct"
    [generator] = result["provenance"]["generators"]
    assert generator["reported_model"].startswith("SmolLM2-135M-Instruct.Q4_1.gguf@sha256:")
    statuses = {grading["prompt_id"]: grading["status"] for grading in result["gradings"]}
    assert statuses["capital-of-france"] == "pass"
    [kept] = first_user("results", "list", "--json").json["results"]
    assert kept["result_id"] == result["result_id"]
    assert not (first_user.home / "postgres" / "postmaster.pid").exists()
