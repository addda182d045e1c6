"""The example project, as its readers run it: on the embedded model and database."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest

from eval_pipeline_tests.cli.conftest import CommandLine

EXAMPLE = Path(__file__).parents[2] / "examples" / "customer_support"


@pytest.mark.timeout(400)  # a real model answers, on whatever else the machine has to do
def test_the_replies_of_the_embedded_model_are_checked_row_by_row_and_exported(
    first_user: CommandLine,
) -> None:
    project = {"EVAL_PIPELINE_PROJECT": str(EXAMPLE)}
    ran = first_user("run", "customer_support.replies", "--json", **project)
    assert ran.status == 0, ran.stderr
    [result] = ran.json["results"]
    assert (result["prompt_count"], result["graded_count"], result["error_count"]) == (6, 6, 0)
    assert result["model_id"] == "SmolLM2-135M-Instruct"
    assert set(result["breakdown"]) == {"greeting", "complaint", "technical"}
    by_row = {grading["prompt_id"]: grading["assertions"] for grading in result["gradings"]}
    kinds = {row: {each["assertion"].split()[0] for each in checked} for row, checked in by_row.items()}
    assert {"not_empty", "not_toxic", "no_pii", "signed_off", "less_than"} <= set.intersection(
        *kinds.values()
    )
    assert {"readability_level", "grammar_correct"} <= kinds["password"] - kinds["hello"]

    exported = first_user("results", "export", str(result["result_id"]), "--csv", **project)
    rows = list(csv.DictReader(io.StringIO(exported.stdout)))
    assert [row["row_id"] for row in rows] == list(by_row)
    assert all(row["answer"] and row["assertions"] and row["row_user_message"] for row in rows)


def test_the_tests_of_the_example_pass() -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(EXAMPLE),
        str(EXAMPLE / "tests"),
    ]
    ran = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
