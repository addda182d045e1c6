"""All that is declared, from the project's files and from installed packages, under unique names."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from eval_pipeline.adapters.catalogue.models_file import read_models_file, with_environment
from eval_pipeline.adapters.catalogue.prompt_set_files import read_prompt_set
from eval_pipeline.domain.errors import DefinitionError, Fault, UsageError
from eval_pipeline.domain.golden_sets import GoldenPromptSet
from eval_pipeline.domain.model_catalogue import ConfiguredModel, ModelsFile, ProviderInstance, ResolvedModel
from eval_pipeline.domain.validation import closest

_OWN_DISTRIBUTION = "eval-pipeline"
_MODELS_FILES = ("models.yaml", "models.yml", "models.json")


@dataclass(frozen=True, slots=True)
class DeclaredSet:
    """A golden prompt set and where it comes from.

    Attributes:
        golden_set: The set.
        source: The file or the entry point.
        example: Whether the package itself ships it.
    """

    golden_set: GoldenPromptSet
    source: str
    example: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredModels:
    """A models file and where it comes from."""

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
    """

    sets: dict[str, DeclaredSet]
    faults: tuple[Fault, ...]
    _models: list[DeclaredModels]
    _environment: Mapping[str, str] = field(repr=False)

    @classmethod
    def load(cls, project: Path, environment: Mapping[str, str]) -> Catalogue:
        """Everything declared in the folder `project`, which need not exist, and by packages.

        Raises:
            DefinitionError: The models file is faulty, or two sources declare one provider or model.
        """
        models = list(_declared_models(project))
        _refuse_doubles(models)
        sets, faults = _collected(_declared_sets(project))
        return cls(sets, tuple(faults), models, environment)

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
        for declared in self._models:
            if (configured := declared.file.models.get(key)) is not None:
                return _resolved(key, configured, declared, self._environment)
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
        outbound_model=configured.model or key,
        parameters=configured.parameters,
        price=configured.price,
    )


def _declared_models(project: Path) -> Iterator[DeclaredModels]:
    """The project's own models first, so that its default and its slug come before others."""
    path = next((project / name for name in _MODELS_FILES if (project / name).exists()), None)
    yield DeclaredModels(read_models_file(path) if path else ModelsFile(), str(path or project))
    for entry_point, contributed in _contributions("eval_pipeline.models"):
        for file in [contributed] if isinstance(contributed, ModelsFile) else contributed:
            yield DeclaredModels(file, _source(entry_point), _is_own(entry_point))


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


def _declared_sets(project: Path) -> Iterator[DeclaredSet | DefinitionError]:
    included: set[Path] = set()
    folder = project / "prompts"
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in paths:
        if path.suffix in (".yaml", ".yml", ".json"):
            try:
                read = read_prompt_set(path)
            except DefinitionError as error:
                yield error
                continue
            included |= read.included
            yield DeclaredSet(read.golden_set, str(path))
        elif path.suffix == ".py":
            yield from _from_callable(partial(_python_sets, path), str(path))
    for path in paths:
        if path.suffix == ".jsonl" and path.resolve() not in included:
            yield DefinitionError(
                [Fault("no set takes its prompts from this file: name it under a set's 'prompts'", str(path))]
            )
    for entry_point in entry_points(group="eval_pipeline.golden_prompt_sets"):
        yield from _from_callable(
            partial(_contributed, entry_point), _source(entry_point), example=_is_own(entry_point)
        )


def _from_callable(
    sets: Callable[[], Iterable[Any]], source: str, *, example: bool = False
) -> Iterator[DeclaredSet | DefinitionError]:
    """Sets built by somebody's Python, whose every fault becomes a fault of the declaration."""
    try:
        for golden_set in sets():
            if isinstance(golden_set, GoldenPromptSet):
                yield DeclaredSet(golden_set, source, example)
            else:
                reason = f"golden_prompt_sets() gave {golden_set!r:.80}, which is no GoldenPromptSet"
                yield DefinitionError([Fault(reason, source)])
    except DefinitionError as error:
        yield error.located(source=source)
    except Exception as error:  # noqa: BLE001 - the code is somebody else's
        yield DefinitionError(
            [Fault(f"raised {type(error).__name__}: {error}", source, _line_within(error, source))]
        )


def _python_sets(path: Path) -> Iterable[Any]:
    name = f"eval_pipeline_project_prompts_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise DefinitionError("cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    function = getattr(module, "golden_prompt_sets", None)
    if function is None:
        raise DefinitionError("has no function golden_prompt_sets()")
    sets: Iterable[Any] = function()
    return sets


def _line_within(error: Exception, source: str) -> int | None:
    if isinstance(error, SyntaxError):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == source), None)


def _contributed(entry_point: EntryPoint) -> Any:
    return entry_point.load()()


def _contributions(group: str) -> Iterator[tuple[EntryPoint, Any]]:
    for entry_point in entry_points(group=group):
        try:
            yield entry_point, _contributed(entry_point)
        except DefinitionError:
            raise
        except Exception as error:
            raise DefinitionError(
                [Fault(f"raised {type(error).__name__}: {error}", _source(entry_point))]
            ) from error


def _source(entry_point: EntryPoint) -> str:
    distribution = entry_point.dist.name if entry_point.dist else "?"
    return f"{distribution} ({entry_point.value})"


def _is_own(entry_point: EntryPoint) -> bool:
    return entry_point.dist is not None and entry_point.dist.name == _OWN_DISTRIBUTION
