"""What crosses a network: domain values as JSON and back, their schemas, the operations of the service, its problems.

Made from the domain's own annotations, so that a new field or parameter needs no line here. `operations` is the list
to start reading at; the service makes its routes of it, and the clients their requests.
"""
