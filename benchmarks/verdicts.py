"""How often verdicts are right, by simulation: seeded, with the rules that runs use.

Every prompt has a pass probability of its own, drawn from Beta(4, 1): 0.8 on average. A run draws each
prompt once. What is counted is what a team would see: false alarms, missed drops, and nights in a row.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median

from eval_pipeline.domain.aggregates import Aggregate, EvaluationSummary
from eval_pipeline.domain.differences import Differences
from eval_pipeline.domain.golden_sets import Gate
from eval_pipeline.domain.paired_comparison import differences
from eval_pipeline.domain.paired_statistics import POWER
from eval_pipeline.domain.pairing import PromptOutcome, Side
from eval_pipeline.domain.provenance import GeneratorProvenance
from eval_pipeline.domain.regression import Verdict, verdict_on
from eval_pipeline.domain.responses import TokenUsage
from eval_pipeline.domain.results import EvaluationResult
from eval_pipeline.domain.set_hashes import Hashes

SEED = 20_261_130
CONFIDENCE = 0.95
PAIRS = 1_000
CHAINS = {50: 1_000, 100: 1_000, 200: 2_000}
NIGHTS = 30

_PASS, _FAIL = PromptOutcome(1, 1, 0, 1.0), PromptOutcome(1, 0, 0, 0.0)
_RESULT = EvaluationResult(
    id=1,
    run_id=1,
    set_id="simulated",
    model_key="simulated",
    grader="deterministic",
    run_date=datetime(2026, 1, 1, tzinfo=UTC),
    partial=False,
    incomplete_because=None,
    summary=EvaluationSummary(
        Aggregate(0, 0, 0, 0, 0, None, None, None, None),
        {},
        GeneratorProvenance((), 0),
        TokenUsage(),
        None,
        (),
        {},
    ),
    yardstick={},
    gate=Gate(),
    set_hashes=Hashes("", "", ""),
    cost_usd=None,
)


def probabilities(count: int, rng: random.Random) -> list[float]:
    return [rng.betavariate(4, 1) for _ in range(count)]


def run(passing: Sequence[float], rng: random.Random) -> Side:
    outcomes = {str(number): _PASS if rng.random() < p else _FAIL for number, p in enumerate(passing)}
    return Side(_RESULT, {}, dict.fromkeys(outcomes, ""), outcomes)


def worse(passing: Sequence[float], drop: float) -> list[float]:
    """The same prompts with a mean pass probability that is lower by `drop`: each fails more often, in proportion."""
    factor = 1 - drop / (sum(passing) / len(passing))
    return [p * factor for p in passing]


def found(baseline: Side, current: Side) -> Differences:
    return differences(baseline, current, Gate(), {}, CONFIDENCE)


def is_alarm(baseline: Side, current: Side) -> bool:
    return verdict_on(found(baseline, current), snapshot_changed=False)[0] is Verdict.REGRESSION


def share_of_alarms(count: int, drop: float, pairs: int, rng: random.Random) -> float:
    alarms = 0
    for _ in range(pairs):
        passing = probabilities(count, rng)
        alarms += is_alarm(run(passing, rng), run(worse(passing, drop), rng))
    return alarms / pairs


def nights(count: int, chains: int, rng: random.Random) -> dict[str, float]:
    """Nights of one unchanged model, each against the newest accepted one: the share that raises an alarm."""
    by_night = [0] * NIGHTS
    for _ in range(chains):
        passing = probabilities(count, rng)
        baseline = run(passing, rng)
        for night in range(NIGHTS):
            tonight = run(passing, rng)
            if is_alarm(baseline, tonight):
                by_night[night] += 1
            else:
                baseline = tonight
    return {
        "mean": sum(by_night) / chains / NIGHTS,
        "nights_1_to_10": sum(by_night[:10]) / chains / 10,
        "nights_21_to_30": sum(by_night[20:]) / chains / 10,
    }


def power_at(count: int, drop: float, pairs: int, rng: random.Random) -> float:
    """How often the interval of a comparison excludes 0 when the model really is worse by `drop`."""
    excluded = 0
    for _ in range(pairs):
        passing = probabilities(count, rng)
        change = found(run(passing, rng), run(worse(passing, drop), rng)).pass_rate
        excluded += change is not None and change.interval is not None and change.interval[1] < 0
    return excluded / pairs


def true_detectable_drop(count: int, pairs: int, rng: random.Random) -> float:
    """The drop that is found as often as `POWER` says, by bisection."""
    low, high = 0.0, 0.5
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if power_at(count, middle, pairs, rng) < POWER else (low, middle)
    return (low + high) / 2


def printed_detectable_drop(count: int, pairs: int, rng: random.Random) -> float:
    printed = []
    for _ in range(pairs):
        passing = probabilities(count, rng)
        change = found(run(passing, rng), run(passing, rng)).pass_rate
        if change is not None and change.detectable_drop is not None:
            printed.append(change.detectable_drop)
    return median(printed)


def main() -> None:
    rng = random.Random(SEED)
    figures: dict[str, object] = {
        "seed": SEED,
        "confidence": CONFIDENCE,
        "unchanged_200_called_regression": share_of_alarms(200, 0.0, PAIRS, rng),
        "drop_0.2_at_200_found": share_of_alarms(200, 0.2, PAIRS, rng),
    }
    for count, chains in CHAINS.items():
        single = share_of_alarms(count, 0.0, chains * NIGHTS, rng)
        chained = nights(count, chains, rng)
        noise = math.sqrt(single * (1 - single) / (chains * NIGHTS))
        figures[f"nights_at_{count}"] = {
            "single_comparison": single,
            "standard_error_of_it": noise,
            **chained,
            "ratio": chained["mean"] / single if single else None,
        }
    for count in (50, 200):
        true = true_detectable_drop(count, 1_500, rng)
        printed = printed_detectable_drop(count, 300, rng)
        figures[f"detectable_drop_at_{count}"] = {"true": true, "printed": printed, "ratio": printed / true}
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
