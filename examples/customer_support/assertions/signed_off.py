"""A kind of assertion of this project's own."""

from typing import ClassVar

from eval_pipeline.domain.assertions import Answer, Assertion, Outcome


class SignedOff(Assertion):
    """The answer ends with a full stop, an exclamation mark or a question mark."""

    kind: ClassVar[str] = "signed_off"

    def check(self, answer: Answer) -> Outcome:
        end = answer.text.rstrip()[-1:]
        return Outcome(
            passed=end in {".", "!", "?"},
            message=f"ends with {end!r}",
            expected="a full stop, an exclamation mark or a question mark",
            actual=end,
        )
