"""The OpenAPI document is one that client generators take whole: titles, parameters, errors and every route."""

from collections import Counter
from typing import Any

from remembrancer.docstrings import raised_errors
from remembrancer.operations import OPERATIONS
from remembrancer.problems import ERRORS, problems_by_status
from remembrancer.service.rest.gate import OPEN_TO_ALL
from tests.policy.test_routes_and_tools import operations_in

EVERY_REQUEST = {"401", "403", "404", "421", "422", "429", "500", "503"}
WITH_A_BODY = {"400", "408", "413"}


def test_every_schema_has_a_title_of_its_own_which_is_its_name(openapi: dict[str, Any]) -> None:
    schemas = openapi["components"]["schemas"]
    assert {name: one["title"] for name, one in schemas.items()} == {name: name for name in schemas}
    assert [name for name in schemas if not name.isalnum()] == []
    # Generators make classes of these, whatever the case.
    assert [name for name, count in Counter(name.lower() for name in schemas).items() if count > 1] == []


def test_every_reference_leads_somewhere_and_every_component_is_used(openapi: dict[str, Any]) -> None:
    named = set(_references(openapi))
    parts = {
        f"#/components/{part}/{name}"
        for part in ("schemas", "responses", "parameters")
        for name in openapi["components"].get(part, {})
    }
    assert named == parts


def _references(part: Any) -> list[str]:
    if isinstance(part, list):
        return [ref for one in part for ref in _references(one)]  # pyright: ignore[reportUnknownVariableType] -- JSON
    if not isinstance(part, dict):
        return []
    own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- JSON
    return own + [ref for one in part.values() for ref in _references(one)]  # pyright: ignore[reportUnknownVariableType] -- JSON


def test_health_readiness_and_metrics_are_documented(openapi: dict[str, Any]) -> None:
    found = operations_in(openapi)
    paths = {path: one for _, path, one in found.values()}
    assert OPEN_TO_ALL - set(paths) == {"/openapi.json"}
    for path in OPEN_TO_ALL & set(paths):
        assert paths[path]["security"] == []
        assert "200" in paths[path]["responses"]


def test_every_operation_of_a_tenant_takes_the_tenant_as_a_header(openapi: dict[str, Any]) -> None:
    for name, (_, path, one) in operations_in(openapi).items():
        headers = {given["name"] for given in one.get("parameters", []) if given["in"] == "header"}
        assert ("X-Tenant-ID" in headers) == (path not in OPEN_TO_ALL), name


def test_every_operation_documents_the_errors_that_its_method_raises(openapi: dict[str, Any]) -> None:
    found = operations_in(openapi)
    codes = {kind.__name__: str(told.status) for kind, told in ERRORS.items()}
    for name, (_, path, one) in found.items():
        said = set(one["responses"])
        assert "default" not in said, name
        if path in OPEN_TO_ALL:
            continue
        assert said >= EVERY_REQUEST, name
        assert ("requestBody" in one) == (said >= WITH_A_BODY), name
        if name in OPERATIONS:
            assert said >= {codes[error] for error in raised_errors(OPERATIONS[name].method)}, name
    assert {"402", "502"} <= set(found["ask"][2]["responses"])
    assert "412" in found["edit"][2]["responses"]
    assert "409" in found["patterns.merge"][2]["responses"]
    assert not {"402", "409", "412", "501", "502"} & set(found["list"][2]["responses"])


def test_every_problem_of_the_service_is_documented_under_its_status(openapi: dict[str, Any]) -> None:
    responses = openapi["components"]["responses"]
    for status, problems in problems_by_status().items():
        # No document has a method that a route does not have.
        if status != 405:
            description = responses[f"Problem{status}"]["description"]
            assert [one.code for one in problems if f"`{one.code}`" not in description] == []
