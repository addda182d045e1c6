"""The one reader of the environment. Values are handed on from here; nothing else looks them up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What an installation decides, from environment variables that begin with `EVAL_PIPELINE_`.

    Attributes:
        project: `EVAL_PIPELINE_PROJECT`: the folder of the evaluation project.
        database_url: `EVAL_PIPELINE_DATABASE_URL`: a PostgreSQL database; none means the embedded one.
        home: `EVAL_PIPELINE_HOME`: the folder for the embedded database and Dagster's local files.
        dagster_home: `DAGSTER_HOME`: the folder of a Dagster instance of one's own; none means the one
            below `home`.
    """

    model_config = SettingsConfigDict(env_prefix="EVAL_PIPELINE_", frozen=True)

    project: Path = Path("evals")
    database_url: SecretStr | None = None
    home: Path = Path(".eval_pipeline")
    dagster_home: Path | None = Field(default=None, validation_alias="DAGSTER_HOME")

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that declarations refer to by name, such as API keys."""
        return os.environ
