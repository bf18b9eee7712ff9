"""The command `remembrancer`, also as `python -m remembrancer`."""

import io
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click import Group

_INTERRUPTED = 130
_FOR_EACH_PROMPT = ("brief", "inject", "remind")


def main() -> None:
    """Run the command line.

    An output that cannot be written ends it in one line.
    """
    _replace_unprintable_characters()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An interrupt in the middle of an import would appear as another failure.
        signal.signal(signal.SIGINT, _end_at_once)
        app = _commands()
        signal.signal(signal.SIGINT, signal.default_int_handler)
    else:
        app = _commands()
    try:
        app(prog_name="remembrancer")
    except OSError as error:
        print(f"remembrancer: {error.strerror or error}", file=sys.stderr)
        # The buffered rest would fail once more at exit.
        sys.stdout = None
        sys.exit(1)


def _commands() -> "Group":
    """Return all commands, or only the hooks if one runs for each prompt or event of an agent."""
    if sys.argv[1:2] == ["hook"]:
        from remembrancer.cli.coding_agents.hook import HOOK

        return HOOK
    if len(sys.argv) > 1 and sys.argv[1] in _FOR_EACH_PROMPT:
        from remembrancer.cli.hooks import HOOKS

        return HOOKS
    from remembrancer.cli.app import app

    return app


def _end_at_once(_signal: int, _frame: object) -> None:
    os.write(2, b"remembrancer: interrupted\n")
    os._exit(_INTERRUPTED)


def _replace_unprintable_characters() -> None:
    """Replace characters that the encoding of the terminal lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    main()
