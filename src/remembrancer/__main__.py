"""`python -m remembrancer` and the command `remembrancer`."""

from remembrancer.cli.app import app


def main() -> None:
    """Run the command line."""
    app(prog_name="remembrancer")


if __name__ == "__main__":
    main()
