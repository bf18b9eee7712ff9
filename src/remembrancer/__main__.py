"""`python -m remembrancer` and the command `remembrancer`."""

import sys

from remembrancer.cli.app import app


def main() -> None:
    """Run the command line; an output that cannot be written to ends it in one line."""
    try:
        app(prog_name="remembrancer")
    except OSError as error:
        print(f"remembrancer: {error.strerror or error}", file=sys.stderr)
        # What is still buffered would fail once more at exit.
        sys.stdout = None
        sys.exit(1)


if __name__ == "__main__":
    main()
