"""What can be chosen by quality: the declared models as candidates, and the sets that count.

A model that could not be asked becomes a candidate with the reason, so that it is told and not missing. Not
here: what is declared (`catalogue.py`), and the choice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.domain.errors import DefinitionError
from eval_pipeline.domain.model_criteria import Candidate


def sets_that_count(catalogue: Catalogue, chosen: Sequence[str] = ()) -> list[str]:
    """The identifiers of the chosen sets; without a choice, of all that are no examples.

    Raises:
        DefinitionError: A chosen set is faulty.
        UsageError: A chosen set does not exist.
    """
    if chosen:
        return sorted({catalogue.golden_prompt_set(set_id).id for set_id in chosen})
    return [set_id for set_id, declared in catalogue.sets.items() if not declared.example]


def candidates(
    catalogue: Catalogue, set_ids: Collection[str] | None = None, latencies: Mapping[str, float] | None = None
) -> list[Candidate]:
    """All declared models, in the order of their keys.

    Args:
        catalogue: What is declared.
        set_ids: The sets that count; by default all that are no examples. A model that comes with the
            package as an example can be chosen only where one of these sets is meant for it.
        latencies: Measured latencies by model key, in milliseconds.
    """
    counted = sets_that_count(catalogue) if set_ids is None else set_ids
    meant = {key for set_id in counted for key in catalogue.models_for(catalogue.golden_prompt_set(set_id))}
    measured = {} if latencies is None else latencies
    return [_candidate(catalogue, key, key in meant, measured.get(key)) for key in catalogue.model_keys]


def _candidate(catalogue: Catalogue, key: str, meant: bool, latency_ms: float | None) -> Candidate:
    declared = catalogue.declaration_of(key)
    configured = declared.file.models[key]
    outbound_model, unusable_because = configured.model or key, None
    try:
        outbound_model = catalogue.model(key).outbound_model
    except DefinitionError as error:
        unusable_because = "; ".join(fault.reason for fault in error.faults)
    if declared.example and not meant:
        unusable_because = "is an example, and no set that counts is meant for it"
    return Candidate(
        key=key,
        provider_instance=configured.provider,
        outbound_model=outbound_model,
        adapter_kind=declared.file.providers[configured.provider].kind,
        capabilities=tuple(configured.capabilities),
        context_length=configured.context_length,
        price=configured.price,
        priority=configured.priority,
        latency_ms=latency_ms,
        unusable_because=unusable_because,
    )
