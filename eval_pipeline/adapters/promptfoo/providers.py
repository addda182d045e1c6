"""promptfoo's providers as models of ours: those that speak OpenAI's chat completions.

Keys are never copied, and no value of a configuration is ever shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from eval_pipeline.adapters.promptfoo.entries import Entry
from eval_pipeline.adapters.promptfoo.files import DATA, FILE, Files, included
from eval_pipeline.adapters.promptfoo.findings import Findings, NoCounterpart
from eval_pipeline.adapters.promptfoo.names import Names, words
from eval_pipeline.adapters.promptfoo.parameters import parameters_of, with_defaults
from eval_pipeline.adapters.promptfoo.references import References
from eval_pipeline.domain.model_catalogue import is_key

_OPENAI, _CHAT = "openai", "chat"
_OTHER_INTERFACES = {
    "agents", "assistant", "chatkit", "codex-sdk", "completion", "embedding", "embeddings", "image", "live",
    "moderation", "realtime", "responses", "speech", "transcription", "video",
}  # fmt: skip
_COMPLETIONS = re.compile(r"(text-|davinci|babbage|curie|ada\b).*|.*-instruct(-.*)?")
_BASE_URL = "https://api.openai.com/v1"
_KEY_VARIABLE = "OPENAI_API_KEY"
_KEYS = {"id", "label", "config", "prompts", "delay"}
_CONNECTION = {
    "apiKey", "apiKeyEnvar", "apiKeyRequired", "apiHost", "apiBaseUrl", "cost", "omitDefaults", "organization",
    "headers",
}  # fmt: skip
_ENVIRONMENT = re.compile(r"\{\{\s*env(?:\.([A-Za-z_]\w*)|\[\s*['\"]([A-Za-z_]\w*)['\"]\s*\])\s*\}\}")
_NAMEABLE = re.compile(r"[A-Za-z0-9_.:@/ -]{1,100}")


@dataclass(frozen=True, slots=True)
class Target:
    """A provider of promptfoo as a model.

    Attributes:
        key: The model key here.
        prompts: The prompts it is asked with; none means all.
    """

    key: str
    prompts: list[str] | None


@dataclass(slots=True)
class Models:
    """What a models file declares.

    Attributes:
        providers: Provider instances by key, as documents.
        models: Models by key, as documents.
        targets: The same models as promptfoo's prompts see them.
    """

    providers: dict[str, dict[str, Any]] = field(default_factory=dict)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """The models file; empty if there are none."""
        if not self.models:
            return {}
        return {"default_model": next(iter(self.models)), "providers": self.providers, "models": self.models}


@dataclass(slots=True)
class ProviderReader:
    """Reads the providers of a configuration.

    Attributes:
        files: Where files are.
        references: Follows references within the configuration.
        findings: Takes what is left out.
        model_names, provider_names: The keys of models and of provider instances.
    """

    files: Files
    references: References
    findings: Findings
    model_names: Names = field(default_factory=lambda: Names("-"))
    provider_names: Names = field(default_factory=lambda: Names("-"))

    def read(self, config: Entry) -> Models:
        """The models that can be configured here."""
        models = Models()
        for key in ("providers", "targets"):
            declared = config.mapping.get(key)
            for member in declared.members if declared is not None and declared.value is not None else ():
                for entry in self._unfolded(self.references.followed(member)):
                    name, options = _identified(entry)
                    try:
                        self._add(models, name, options)
                    except NoCounterpart as why:
                        self.findings.leave_out(entry, f"provider {shown(name)}", why)
        return models

    def _unfolded(self, entry: Entry) -> Iterator[Entry]:
        """A provider, or those in the file that it names."""
        if entry.text is None or not (entry.text.startswith(FILE) and entry.text.endswith(DATA)):
            yield entry
            return
        try:
            yield from included(entry, self.files)
        except NoCounterpart as why:
            self.findings.leave_out(entry, "providers in a file", why)

    def _add(self, models: Models, name: str, options: Entry) -> None:
        model = _chat_model(name)
        what = shown(name)
        label = options.text_at("label") or model
        config = options.mapping.get("config", options.made({}))
        if "transform" in options.mapping:
            raise NoCounterpart("transform: a script changes every answer before it is checked")
        for key in (key for key in options.mapping if key not in _KEYS):
            self.findings.leave_out(options.mapping[key], f"{key} of provider {what}", "an unknown key")
        if "delay" in options.mapping:
            self.findings.note(options, f"delay of provider {what}", "max_concurrency bounds requests here")
        instance = self._instance(config, what)
        own = replace(config, value={k: v for k, v in config.mapping.items() if k not in _CONNECTION})
        parameters = with_defaults(parameters_of(own, what, self.findings), model, config, self.findings)
        key = self.model_names.unused(_key(label))
        declared: dict[str, Any] = {"provider": self._shared(models.providers, instance)}
        if key != model:
            declared["model"] = model
        if parameters:
            declared["parameters"] = parameters
        if (price := self._price(config, what)) is not None:
            declared["price"] = price
        models.models[key] = declared
        selected = options.mapping.get("prompts")
        prompts = None if selected is None else [member.text or "" for member in selected.members]
        models.targets.append(Target(key, prompts))

    def _instance(self, config: Entry, what: str) -> dict[str, Any]:
        url = config.text_at("apiBaseUrl")
        if host := config.text_at("apiHost"):
            url = f"https://{host}/v1"
        base_url = _with_environment(url) if url else _BASE_URL
        if url and not urlsplit(base_url).path.strip("/") and "${" not in base_url:
            self.findings.note(
                config, f"apiBaseUrl of provider {what}", "without a path, /v1 is added to it here"
            )
        instance = {"kind": "openai", "base_url": base_url}
        variable = config.text_at("apiKeyEnvar") or _KEY_VARIABLE
        if key := config.mapping.get("apiKey"):
            named = _ENVIRONMENT.fullmatch(key.text or "")
            if named is None:
                why = f"keys are never copied: put it into the environment variable {variable}"
                self.findings.leave_out(key, f"apiKey of provider {what}", why)
            else:
                variable = named[1] or named[2]
        needed = config.mapping.get("apiKeyRequired")
        if needed is None or needed.value is not False or "apiKeyEnvar" in config.mapping:
            instance["api_key_env"] = variable
        for key_name in ("organization", "headers"):
            if key_name in config.mapping:
                self.findings.leave_out(
                    config.mapping[key_name], f"{key_name} of provider {what}", "no headers can be added here"
                )
        return instance

    def _price(self, config: Entry, what: str) -> dict[str, float] | None:
        """Per million tokens; promptfoo's is per token, the same for what is sent and what comes back."""
        declared = config.mapping.get("cost")
        if declared is None:
            return None
        cost = declared.value
        if isinstance(cost, bool) or not isinstance(cost, int | float) or cost < 0:
            self.findings.leave_out(declared, f"cost of provider {what}", "it is not an amount")
            return None
        price = round(cost * 1_000_000, 9)
        return {"input": price, "output": price}

    def _shared(self, providers: dict[str, dict[str, Any]], instance: dict[str, Any]) -> str:
        """The key of a provider instance; one that is there already is shared."""
        for key, known in providers.items():
            if known == instance:
                return key
        host = urlsplit(instance["base_url"]).hostname or ""
        key = self.provider_names.unused(
            _OPENAI if instance["base_url"] == _BASE_URL else words(host, "-", "endpoint")
        )
        providers[key] = instance
        return key


def shown(name: str) -> str:
    """A provider's name for people: of addresses, which may hold secrets, only the kind."""
    if "://" in name or "@" in name or not _NAMEABLE.fullmatch(name):
        return f"{name.partition(':')[0]:.20}:…" if ":" in name else "without a name"
    return name


def _identified(entry: Entry) -> tuple[str, Entry]:
    """A provider's name and its options, in any of the forms in which it is written."""
    if entry.text is not None:
        return entry.text, entry.made({})
    if "id" in entry.mapping:
        return entry.text_at("id"), entry
    if len(entry.mapping) == 1:
        ((name, options),) = entry.mapping.items()
        return options.text_at("id") or name, options
    return "", entry


def _chat_model(name: str) -> str:
    """The model that is asked by OpenAI's chat completions.

    Raises:
        NoCounterpart: The provider is another one.
    """
    kind, _, rest = name.partition(":")
    interface, colon, model = rest.partition(":")
    if colon and interface == _CHAT:
        rest = model
    elif interface in _OTHER_INTERFACES:
        raise NoCounterpart(f"only chat completions are asked here, not OpenAI's {interface}")
    if kind != _OPENAI or not rest:
        raise NoCounterpart(
            "only openai: has a counterpart; an endpoint that speaks OpenAI's chat completions can be configured by hand"
        )
    if "{{" in rest or "${" in rest:
        raise NoCounterpart("its model is filled in when it is asked")
    if not colon and _COMPLETIONS.fullmatch(rest):
        raise NoCounterpart("only chat completions are asked here, not text completions")
    return rest


def _with_environment(url: str) -> str:
    if "${" in url:
        raise NoCounterpart("its address holds ${, which means an environment variable here")
    filled = _ENVIRONMENT.sub(lambda match: f"${{{match[1] or match[2]}}}", url)
    if "{{" in filled or "{%" in filled:
        raise NoCounterpart("its address is more than a text with environment variables")
    if "@" in urlsplit(filled).netloc:
        raise NoCounterpart(
            "its address holds a password: configure it by hand, with an environment variable"
        )
    return filled


def _key(label: str) -> str:
    return label if is_key(label) else words(label, "-", "model")
