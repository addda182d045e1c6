"""Asking and grading 2,000 prompts beside the ideal, and the memory that prompts take."""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from sqlalchemy import create_engine, text

from benchmarks.measuring import COMMAND, Timed, fresh_home, timed
from eval_pipeline.adapters.postgres.embedded import start_embedded

_LAST_GRADING = """
    select extract(epoch from max(timestamp at time zone 'utc')) from event_logs
    where dagster_event_type = 'ASSET_MATERIALIZATION' and asset_key = '["deterministic", "gradings"]'
"""


@contextmanager
def _endpoint(latency: float) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = Path(__file__).with_name("endpoint.py")
    process = subprocess.Popen([sys.executable, str(script), "--port", str(port), "--latency", str(latency)])
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                _first_request(address)
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def _first_request(address: str) -> float | None:
    with urllib.request.urlopen(f"{address}/first") as answer:
        moment: float | None = json.load(answer)["first"]
        return moment


def _write_project(folder: Path, address: str, prompts: int, in_flight: int) -> None:
    models = {
        "project": "bench",
        "default_model": "subject",
        "providers": {"loopback": {"kind": "openai", "base_url": address, "max_concurrency": in_flight}},
        "models": {"subject": {"provider": "loopback"}},
    }
    (folder / "evals/prompts").mkdir(parents=True, exist_ok=True)
    (folder / "evals/models.json").write_text(json.dumps(models))
    declared = {
        "id": f"bench.prompts_{prompts}",
        "prompts": [
            {
                "id": f"prompt-{number}",
                "prompt": f"Is {number} a number? Answer in one sentence, with yes or no.",
                "assert": [{"contains": "yes"}, {"regex": r"/\banswer\b/"}],
            }
            for number in range(prompts)
        ],
    }
    (folder / f"evals/prompts/{prompts}.json").write_text(json.dumps(declared))


def _run(environment: dict[str, str], prompts: int) -> Timed:
    return timed([COMMAND, "run", f"bench.prompts_{prompts}", "--json"], environment)


def _throughput(prompts: int, latency: float, in_flight: int, runs: int) -> dict[str, float]:
    ideal = prompts * latency / in_flight
    spans, walls, processor = [], [], []
    with fresh_home() as (home, environment), _endpoint(latency) as address:
        _write_project(home, address, prompts, in_flight)
        # Held here as well, so that the database does not stop between the runs and can be asked.
        url = start_embedded(home / "home/postgres").replace("postgresql://", "postgresql+psycopg://")
        for _ in range(runs):
            _first_request(address)
            measured = _run(environment, prompts)
            first = _first_request(address)
            engine = create_engine(url)
            with engine.connect() as connection:
                last = float(connection.scalar(text(_LAST_GRADING)))
            engine.dispose()
            spans.append(last - (first or 0.0))
            walls.append(measured.wall)
            processor.append(measured.processor)
    return {
        "prompts": prompts,
        "in_flight": in_flight,
        "ideal": ideal,
        "first_request_to_last_grading": statistics.median(spans),
        "ratio": statistics.median(spans) / ideal,
        "bound": 1.25,
        "whole_process": statistics.median(walls),
        "processor_ms_per_prompt": statistics.median(processor) / prompts * 1000,
    }


def _memory(few: int, many: int) -> dict[str, float]:
    with fresh_home() as (home, environment), _endpoint(0.0) as address:
        peaks = []
        for prompts in (few, many):
            _write_project(home, address, prompts, in_flight=64)
            peaks.append(_run(environment, prompts).peak_kib)
            (home / f"evals/prompts/{prompts}.json").unlink()
    return {
        "peak_mib_few": peaks[0] / 1024,
        "peak_mib_many": peaks[1] / 1024,
        "kib_per_prompt": (peaks[1] - peaks[0]) / (many - few),
        "bound": 8.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=2000)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    throughput = _throughput(arguments.prompts, arguments.latency, arguments.in_flight, arguments.runs)
    print(json.dumps({"throughput": {name: round(value, 3) for name, value in throughput.items()}}))
    memory = _memory(arguments.prompts, arguments.prompts * 5)
    print(json.dumps({"memory": {name: round(value, 2) for name, value in memory.items()}}))


if __name__ == "__main__":
    main()
