"""The options of the console."""

from dataclasses import dataclass, field
from datetime import timedelta

from remembrancer.service.rest.options import ServiceOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleOptions:
    """The options of the console.

    Args:
        service: the options of the service that it is part of.
        sign_in: whether an access key is required if one exists; `False` for a local file.
        read_only: whether nothing can be changed.
        lifetime: the time after which a person has to sign in again.
        grafana_url: the address of a Grafana dashboard, or `""`.
    """

    service: ServiceOptions = field(default_factory=ServiceOptions)
    sign_in: bool = True
    read_only: bool = False
    lifetime: timedelta = timedelta(hours=12)
    grafana_url: str = ""
