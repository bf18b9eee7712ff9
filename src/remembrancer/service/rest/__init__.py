"""REST: every operation of `wire.operations` as a route, and what stands before them all.

`app` puts it together; `gate` is what each request passes first; `routes` is made of the operations.
"""
