"""Clients of a service.

`client` has the methods of `Memory`, `sync` has them without `await`.
"""
