"""All that is declared, from the project's files and from installed packages, under unique names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval_pipeline.adapters.catalogue.assertion_kinds import assertion_kinds
from eval_pipeline.adapters.catalogue.contributions import Contribution, contributions
from eval_pipeline.adapters.catalogue.models_file import from_environment, read_models_file, with_environment
from eval_pipeline.adapters.catalogue.set_sources import DeclaredSet, declared_sets
from eval_pipeline.domain.assertions import AssertionKinds
from eval_pipeline.domain.detectors import Detectors
from eval_pipeline.domain.errors import DefinitionError, Fault, UsageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.model_catalogue import ConfiguredModel, ModelsFile, ProviderInstance, ResolvedModel
from eval_pipeline.domain.validation import closest

_MODELS_FILES = ("models.yaml", "models.yml", "models.json")


@dataclass(frozen=True, slots=True)
class DeclaredModels:
    """A models file and where it comes from.

    Attributes:
        file: The models file.
        source: The file or the entry point.
        example: Whether the package itself ships it.
    """

    file: ModelsFile
    source: str
    example: bool = False


@dataclass(slots=True)
class Catalogue:
    """Golden sets by identifier and models by key, as declared at the time of loading.

    A faulty set does not block the others: its faults are kept, and raised when it is asked for.

    Attributes:
        sets: The sets without faults, by identifier, in order.
        faults: What is wrong with the others.
        kinds: The kinds of assertions there are, the project's own among them.
    """

    sets: dict[str, DeclaredSet]
    faults: tuple[Fault, ...]
    kinds: AssertionKinds
    _models: list[DeclaredModels]
    _environment: Mapping[str, str] = field(repr=False)

    @classmethod
    def load(
        cls, project: Path, environment: Mapping[str, str], detectors: Detectors | None = None
    ) -> Catalogue:
        """Everything declared in the folder `project`, which need not exist, and by packages.

        Args:
            project: The folder.
            environment: The environment variables.
            detectors: What assertions may need. A set that needs one that is not installed is faulty; without
                this argument none is looked for.

        Raises:
            DefinitionError: The models file is faulty, or two sources declare one provider or model.
        """
        models = list(_declared_models(project))
        _refuse_doubles(models)
        kinds, faults = assertion_kinds(project)
        sets, faults_of_sets = _collected(declared_sets(project, kinds))
        if detectors is not None:
            sets, unequipped = _equipped(sets, detectors)
            faults_of_sets += unequipped
        return cls(sets, (*faults, *faults_of_sets), kinds, models, environment)

    @property
    def project(self) -> str:
        """The project's slug."""
        return self._models[0].file.project

    @property
    def default_model(self) -> str:
        """The model of sets that name none: the project's, else the one that is shipped.

        Raises:
            DefinitionError: No models file names a default.
        """
        for declared in self._models:
            if declared.file.default_model is not None:
                return declared.file.default_model
        raise DefinitionError("no models file names a default_model")

    @property
    def model_keys(self) -> list[str]:
        """All model keys, in order."""
        return sorted(key for declared in self._models for key in declared.file.models)

    @property
    def set_ids_for_quality(self) -> list[str]:
        """The sets whose results say how good a model is: those declared that are no examples."""
        return [set_id for set_id, declared in self.sets.items() if not declared.example]

    def golden_prompt_set(self, set_id: str) -> GoldenPromptSet:
        """The set of that identifier.

        Raises:
            DefinitionError: It is, or may be, declared where there are faults.
            UsageError: There is no such set.
        """
        if set_id in self.sets:
            return self.sets[set_id].golden_set
        own = [fault for fault in self.faults if fault.set_id == set_id]
        if own or self.faults:
            raise DefinitionError(own or self.faults)
        raise UsageError(f"there is no golden prompt set '{set_id}'; {closest(set_id, self.sets)}")

    def models_for(self, golden_set: GoldenPromptSet) -> list[str]:
        """The model keys that a set is meant for."""
        return list(golden_set.models) or [self.default_model]

    def model(self, key: str) -> ResolvedModel:
        """The model of that key, ready to be asked.

        Raises:
            DefinitionError: Its provider needs an environment variable that is not set.
            UsageError: There is no such model.
        """
        declared = self.declaration_of(key)
        return _resolved(key, declared.file.models[key], declared, self._environment)

    def declaration_of(self, key: str) -> DeclaredModels:
        """The models file that declares a model, with environment variables as they are written.

        Raises:
            UsageError: There is no such model.
        """
        for declared in self._models:
            if key in declared.file.models:
                return declared
        raise UsageError(f"there is no model '{key}'; {closest(key, self.model_keys)}")

    def model_source(self, key: str) -> str:
        """The file or the entry point that declares a model."""
        return next((declared.source for declared in self._models if key in declared.file.models), "")


def _resolved(
    key: str, configured: ConfiguredModel, declared: DeclaredModels, environment: Mapping[str, str]
) -> ResolvedModel:
    provider: ProviderInstance = declared.file.providers[configured.provider]
    return ResolvedModel(
        key=key,
        provider_key=configured.provider,
        provider=with_environment(provider, configured.provider, declared.source, environment),
        outbound_model=from_environment(
            configured.model or key, f"model '{key}'", declared.source, environment
        ),
        parameters=configured.parameters,
        price=configured.price,
    )


def _declared_models(project: Path) -> Iterator[DeclaredModels]:
    """The project's own models first, so that its default and its slug come before others."""
    present = [project / name for name in _MODELS_FILES if (project / name).exists()]
    if len(present) > 1:
        raise DefinitionError(f"there are {' and '.join(map(str, present))}: keep one of them")
    path = present[0] if present else None
    yield DeclaredModels(read_models_file(path) if path else ModelsFile(), str(path or project))
    for contribution in contributions("eval_pipeline.models"):
        yield from _contributed_models(contribution)


def _contributed_models(contribution: Contribution) -> Iterator[DeclaredModels]:
    try:
        contributed = contribution.declared()
    except DefinitionError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's
        reason = f"raised {type(error).__name__}: {error}"
        raise DefinitionError([Fault(reason, contribution.source)]) from None
    for file in [contributed] if isinstance(contributed, ModelsFile) else contributed:
        yield DeclaredModels(file, contribution.source, contribution.example)


def _refuse_doubles(models: Iterable[DeclaredModels]) -> None:
    sources: dict[tuple[str, str], str] = {}
    for declared in models:
        named = [("provider", key) for key in declared.file.providers]
        for name in named + [("model", key) for key in declared.file.models]:
            if name in sources:
                raise DefinitionError(
                    f"the {name[0]} '{name[1]}' is declared twice, in {sources[name]} and in"
                    f" {declared.source}: rename one of them"
                )
            sources[name] = declared.source


def _collected(
    found: Iterable[DeclaredSet | DefinitionError],
) -> tuple[dict[str, DeclaredSet], list[Fault]]:
    by_id: dict[str, list[DeclaredSet]] = {}
    faults: list[Fault] = []
    for declared in found:
        if isinstance(declared, DefinitionError):
            faults.extend(declared.faults)
        else:
            by_id.setdefault(declared.golden_set.id, []).append(declared)
    for set_id, same in by_id.items():
        if len(same) > 1:
            named = " and in ".join(declared.source for declared in same)
            faults.append(Fault(f"the identifier is declared twice, in {named}", set_id=set_id))
    return {set_id: same[0] for set_id, same in sorted(by_id.items()) if len(same) == 1}, faults


def _equipped(
    sets: Mapping[str, DeclaredSet], detectors: Detectors
) -> tuple[dict[str, DeclaredSet], list[Fault]]:
    """The sets whose assertions find the detectors that they need, and what is wrong with the others."""
    equipped: dict[str, DeclaredSet] = {}
    faults: list[Fault] = []
    for set_id, declared in sets.items():
        kinds = {type(assertion) for prompt in declared.golden_set.prompts for assertion in prompt.assertions}
        missing = {
            f"assertion {kind.kind}: {reason}"
            for kind in kinds
            for name in kind.detectors
            if (reason := detectors.why_missing(name)) is not None
        }
        if missing:
            faults += [Fault(reason, declared.source, set_id=set_id) for reason in sorted(missing)]
        else:
            equipped[set_id] = declared
    return equipped, faults
