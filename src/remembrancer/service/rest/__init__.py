"""The REST service: a route for each operation of `operations.py`.

`app` assembles it, `gate` checks each request, and `routes` makes the routes.
"""
