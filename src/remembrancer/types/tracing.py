"""The id of the request that is being dealt with, from the door to the ledger."""

from contextvars import ContextVar

REQUEST: ContextVar[str] = ContextVar("remembrancer-request", default="")
