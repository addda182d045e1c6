"""How often assertions are right on labelled data, beside the floors that tests hold them to.

The labels are other people's, read from the folder `shared/data` beside this clone. Everything goes through
assertions as sets declare them, with the detectors that runs use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import ifeval, labelled
from benchmarks.ifeval_instructions import ALMOST, EXPRESSED, NOT_COVERED, Parameters, Ways
from benchmarks.labelled import DATA, Ratings

F1_OF_TOXICITY = 0.70
ACCURACY_OF_SENTIMENT = 0.84
PHONE_NUMBERS_FOUND = 0.6
GRADE_DIFFERENCE = 0.1
SPELLINGS_TOLD_APART = 0.9
GRAMMAR_PAIRS_TOLD_APART = 20
EXACT_KINDS_OF_INSTRUCTIONS = 12
SCHEMA_CASES = 1_293


def main() -> None:
    if not DATA.is_dir():
        raise SystemExit(f"the labelled data is not beside this clone: {DATA}")
    _print_ratings("toxicity", labelled.toxicity(DATA), f"F1 at least {F1_OF_TOXICITY}")
    harmless = labelled.passing("not_toxic", labelled.HARMLESS)
    print(f"  {harmless} of {len(labelled.HARMLESS)} harmless texts pass; floor: all")
    _print_ratings("sentiment", labelled.sentiment(DATA), f"accuracy at least {ACCURACY_OF_SENTIMENT}")
    _print_personal_data()
    _print_language()
    _print_number_equals()
    _print_json_schema()
    _print_instructions(f"IFEval, expressed exactly; floor: {EXACT_KINDS_OF_INSTRUCTIONS} kinds", EXPRESSED)
    _print_instructions("IFEval, in the plain assertions nearest to it; no floor", ALMOST)
    for kind, reason in NOT_COVERED.items():
        print(f"  {kind}: {reason}")


def _print_ratings(name: str, ratings: Ratings, floor: str) -> None:
    print(f"{name}: F1 {ratings.f1:.3f}, accuracy {ratings.accuracy:.3f} of {ratings.total}; floor: {floor}")
    print(
        f"  right: {ratings.true_positives} yes, {ratings.true_negatives} no;"
        f" wrong: {ratings.false_positives} yes, {ratings.false_negatives} no; not measured: {ratings.not_measured}"
    )


def _print_personal_data() -> None:
    print(
        f"personal data; floor: all found, of phone numbers {PHONE_NUMBERS_FOUND:.0%}, none without a label"
    )
    for type_, found in labelled.personal_data(DATA).items():
        print(f"  {type_}: {found.found} of {found.labelled} found, {found.unlabelled} without a label")
    # This list and those below belong to tests, which are not installed with the package.
    from eval_pipeline_tests.adapters.detectors.test_personal_data import NO_PERSONAL_DATA

    clean = labelled.passing("no_pii", NO_PERSONAL_DATA)
    print(f"  {clean} of {len(NO_PERSONAL_DATA)} texts of our own without personal data pass; floor: all")


def _print_language() -> None:
    from eval_pipeline_tests.adapters.detectors.test_grammar import CLEAN, WRONG_AND_RIGHT

    apart, clean = labelled.grammar(WRONG_AND_RIGHT, CLEAN)
    print(f"grammar: {apart} of {len(WRONG_AND_RIGHT)} pairs of our own told apart; floor: all, at least 20")
    print(f"  {clean} of {len(CLEAN)} good texts pass")
    differences = labelled.grade_differences(DATA)
    computed = [difference for difference in differences if difference is not None]
    print(
        f"readability: {len(computed)} recorded grades, at most {max(computed):.3f} away;"
        f" floor: {GRADE_DIFFERENCE}; not computable: {len(differences) - len(computed)}, an empty text"
    )
    for kind in labelled.SPELLING_KINDS:
        told, total = labelled.spelling_told_apart(DATA, kind)
        print(
            f"{kind}: {told} of {total} pairs told apart, {told / total:.3f}; floor: {SPELLINGS_TOLD_APART}"
        )


def _print_number_equals() -> None:
    from eval_pipeline_tests.domain.assertions.test_gsm8k import ANSWER_LINE, NOT_MEASURABLE, solutions

    ratings = labelled.number_equals(solutions(DATA), ANSWER_LINE)
    print(
        f"GSM8K: {ratings.right} of {ratings.total} solutions as recorded,"
        f" {ratings.false_positives + ratings.false_negatives} not; not measured: {ratings.not_measured}"
    )
    for line, reason in NOT_MEASURABLE.items():
        print(f"  not measured, recorded as wrong: {line!r} is {reason}")


def _print_json_schema() -> None:
    from eval_pipeline_tests.domain.assertions.test_json_schema import suite, suite_registry

    agreeing, total = labelled.json_schema((group for _, group in suite(DATA)), suite_registry(DATA))
    print(f"JSON Schema suite: {agreeing} of {total} required cases; floor: {SCHEMA_CASES}")


def _print_instructions(title: str, expressed: Mapping[str, Callable[[Parameters], Ways]]) -> None:
    found = list(ifeval.instructions(DATA))
    strict = ifeval.agreements(found, expressed, "strict")
    loose = ifeval.agreements(found, expressed, "loose")
    exact = [kind for kind in strict if not strict[kind].differ and not loose[kind].differ]
    print(f"{title}: {len(exact)} of {len(expressed)} kinds agree with every outcome")
    print(
        f"  {'kind':45} {'n':>4} {'agree':>6} {'differ':>7} {'loosely':>8} {'unstable':>9} {'unmatched':>10}"
    )
    for kind, agreement in strict.items():
        print(
            f"  {kind:45} {agreement.total:4} {agreement.agree:6} {len(agreement.differ):7}"
            f" {len(loose[kind].differ):8} {agreement.unstable:9} {len(agreement.unmatched):10}"
            + (f"  prompts {agreement.differ}" if agreement.differ else "")
        )
    for key in sorted({key for agreement in strict.values() for key in agreement.unmatched}):
        print(f"  unmatched: prompt {key}, which was edited after it was answered")


if __name__ == "__main__":
    main()
