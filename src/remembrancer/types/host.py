"""Hosts: which names and addresses mean this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Return True if a host is the machine that its caller runs on, by name or address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
