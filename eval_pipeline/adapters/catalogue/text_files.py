"""Text files, read strictly: UTF-8 or a fault that says where it is not."""

from __future__ import annotations

import re
from pathlib import Path

from eval_pipeline.domain.errors import DefinitionError, Fault
from eval_pipeline.domain.text import is_storable

_LINE_END = re.compile(r"\r\n|\r|\n")


def read_text(path: Path) -> str:
    """The text of a UTF-8 file; a byte order mark is dropped.

    Raises:
        DefinitionError: The file is missing or unreadable, is not UTF-8, or holds U+0000.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise file_fault(
            path, f"not UTF-8: byte {error.start} is 0x{error.object[error.start]:02X}; save it as UTF-8"
        ) from None
    except OSError as error:
        raise file_fault(path, f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise file_fault(path, "is no name of a file") from None
    if (position := text.find("\0")) >= 0:
        raise file_fault(path, "holds the character U+0000", line_at(text, position))
    return text


def line_at(text: str, position: int) -> int:
    """The line, counted from 1, of a position; lines end with LF, CRLF or CR."""
    return len(_LINE_END.findall(text, 0, position)) + 1


def check_text(path: Path, text: str, line: int | None) -> None:
    """Refuses characters that can neither be sent nor stored."""
    if not is_storable(text):
        raise file_fault(path, f"the text {text!r:.80} holds U+0000 or a lone surrogate", line)


def file_fault(path: Path, reason: str, line: int | None = None) -> DefinitionError:
    """The error of one fault in a file."""
    return DefinitionError([Fault(reason, str(path), line)])
