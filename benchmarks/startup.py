"""The whole smoke run beside `import dagster`, without the model's own time."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.measuring import COMMAND, fresh_home, timed
from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.llm.clients import ProviderClients
from eval_pipeline.domain.runs import AskPlan, Selection

_RUNS = 5


async def _model_seconds() -> float:
    """Loading the model and answering the prompts of the smoke set, with nothing around it."""
    catalogue = Catalogue.load(Path("no-project"), os.environ)
    golden_set = catalogue.golden_prompt_set("eval_pipeline.smoke")
    plan = AskPlan.of(golden_set, catalogue.model("smollm2-135m"), Selection())
    started = time.perf_counter()
    async with ProviderClients(os.environ).open(plan.model) as client:
        for request in plan.requests:
            await client.ask(request)
    return time.perf_counter() - started


def main() -> None:
    imports, models, runs = [], [], []
    with fresh_home() as (_, environment):
        timed([COMMAND, "run", "eval_pipeline.smoke"], environment)
        for _ in range(_RUNS):
            imports.append(timed([sys.executable, "-c", "import dagster"], environment).wall)
            models.append(asyncio.run(_model_seconds()))
            runs.append(timed([COMMAND, "run", "eval_pipeline.smoke"], environment).wall)
    ratios = [(run - model) / dagster for run, model, dagster in zip(runs, models, imports, strict=True)]
    figures = {
        "import_dagster": statistics.median(imports),
        "model": statistics.median(models),
        "smoke_run": statistics.median(runs),
        "ratio": statistics.median(ratios),
        "bound": 4.0,
    }
    print(json.dumps({"startup": {name: round(value, 2) for name, value in figures.items()}}))


if __name__ == "__main__":
    main()
