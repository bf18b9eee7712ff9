"""The command line in a forked process, where everything is imported already: a twentieth of a second a command."""

import faulthandler
import io
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from remembrancer import sync
from remembrancer.__main__ import main
from remembrancer.cli.app import app

# Imported here, so that no child imports it again.
assert app
assert sync


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended.

    Args:
        code: its exit code; `None` where it had to be killed.
    """

    code: int | None
    stdout: str
    stderr: str
    seconds: float


def run_line(
    arguments: Sequence[str],
    *,
    given: bytes | None = b"",
    environment: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    patience: float = 10.0,
    folder: Path | None = None,
    before: Callable[[], None] | None = None,
) -> Ended:
    """Run `remembrancer` with these arguments.

    Args:
        given: what stands on standard input; `None` for one that is closed.
        environment: what is set beside that of this process.
        encoding: of the terminal.
        patience: seconds after which it is killed.
        folder: where it is run; here, if not given.
        before: is called in the process before the command is run.
    """
    pipes = [os.pipe() for _ in range(3)]
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.chdir(folder or ".")
        if before is not None:
            before()
        faulthandler.dump_traceback_later(0.9 * patience, file=os.dup(pipes[2][1]))
        _be_the_command(pipes, arguments, given, environment or {}, encoding)
    for end in (pipes[0][0], pipes[1][1], pipes[2][1]):
        os.close(end)
    told, in_time = _exchanged(pipes[0][1], [pipes[1][0], pipes[2][0]], given or b"", began + patience)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    out, err = (text.decode(errors="replace") for text in told)
    code = os.waitstatus_to_exitcode(status) if in_time else None
    return Ended(code=code, stdout=out, stderr=err, seconds=time.monotonic() - began)


def _be_the_command(
    pipes: Sequence[tuple[int, int]],
    arguments: Sequence[str],
    given: bytes | None,
    environment: Mapping[str, str],
    encoding: str,
) -> None:
    for number, (reading, writing) in enumerate(pipes):
        os.dup2(reading if number == 0 else writing, number)
    for reading, writing in pipes:
        os.close(reading)
        os.close(writing)
    os.environ.update(environment)
    code = 70
    try:
        sys.stdin = None if given is None else io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), encoding=encoding)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), encoding=encoding)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(2, "w")), encoding=encoding, errors="backslashreplace", line_buffering=True
        )
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["remembrancer", *arguments]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    finally:
        try:
            if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] -- `main` gives it up
                sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _exchanged(writing: int, reading: Sequence[int], given: bytes, until: float) -> tuple[list[bytes], bool]:
    """What comes out of the pipes, and whether they ended in time."""
    told = {end: bytearray() for end in reading}
    left = memoryview(given)
    open_ends = set(reading)
    os.set_blocking(writing, False)
    unwritten = {writing}
    while open_ends:
        if not left and unwritten:
            os.close(unwritten.pop())
        if (patience := until - time.monotonic()) <= 0:
            break
        ready, able, _ = select.select(open_ends, unwritten, [], patience)
        for end in able:
            try:
                left = left[os.write(end, left[:65_536]) :]
            except BrokenPipeError:
                left = left[:0]
        for end in ready:
            if part := os.read(end, 65_536):
                told[end] += part
            else:
                open_ends.discard(end)
    for end in (*reading, *unwritten):
        os.close(end)
    return [bytes(told[end]) for end in reading], not open_ends
