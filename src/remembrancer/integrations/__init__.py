"""Integrations: the memory behind the interfaces of agent frameworks. Each module needs the extra of its name."""


def missing_extra(extra: str, error: ModuleNotFoundError) -> ImportError:
    """Return the error for a framework that is not installed."""
    return ImportError(
        f"this needs the extra {extra!r} ({error.name} is missing): pip install 'remembrancer[{extra}]'",
        name=error.name,
    )
