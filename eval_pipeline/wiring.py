"""Which adapters stand behind the ports in production. Knows nothing of Dagster, so that it loads fast."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Engine

from eval_pipeline.adapters.catalogue.catalogue import Catalogue
from eval_pipeline.adapters.detectors.installed import InstalledDetectors
from eval_pipeline.adapters.llm.clients import ProviderClients
from eval_pipeline.adapters.postgres import schema
from eval_pipeline.adapters.postgres.embedded import start_embedded
from eval_pipeline.adapters.postgres.result_history import PostgresResultHistory
from eval_pipeline.adapters.postgres.result_store import PostgresResultStore
from eval_pipeline.domain.grading import DeterministicGrader, Grader
from eval_pipeline.settings import Settings

DETECTORS = InstalledDetectors()
GRADERS: tuple[Grader, ...] = (DeterministicGrader(DETECTORS),)


def load_catalogue(settings: Settings) -> Catalogue:
    """What is declared now."""
    return Catalogue.load(settings.project, settings.environment, DETECTORS)


def model_clients(settings: Settings) -> ProviderClients:
    """Clients of the declared models."""
    return ProviderClients(settings.environment)


@cache
def database_url(settings: Settings) -> str:
    """The URL of the database; the embedded one is started, and held until the process ends."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    return start_embedded(settings.home.resolve() / "postgres")


@cache
def open_store(settings: Settings, project: str) -> PostgresResultStore:
    """The result store of a project."""
    return PostgresResultStore(_engine(settings), project)


@cache
def open_history(settings: Settings, project: str) -> PostgresResultHistory:
    """The results of a project, to choose among."""
    return PostgresResultHistory(_engine(settings), project)


@cache
def _engine(settings: Settings) -> Engine:
    """A database with current tables. The embedded one upgrades itself, another is left as it is."""
    engine = schema.connect(database_url(settings))
    if settings.database_url is None:
        schema.upgrade(engine)
    schema.require_current(engine)
    return engine
