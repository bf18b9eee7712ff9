"""The graph in the forms of other programs."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final
from xml.etree import ElementTree as Xml

from remembrancer.language.names import named
from remembrancer.types.graph import EntityRelation


class GraphForm(StrEnum):
    """Forms of an exported graph."""

    GRAPHML = "graphml"
    JSON_LD = "json-ld"
    MCP_MEMORY = "mcp-memory"


_XML: Final = "http://graphml.graphdrawing.org/xmlns"
_VOCABULARY: Final = "urn:remembrancer:"
# Characters that no XML document may have.
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def exported(relations: Sequence[EntityRelation], form: GraphForm) -> str:
    """Return relations and their entities as a text in a form."""
    match form:
        case GraphForm.GRAPHML:
            return _graphml(relations)
        case GraphForm.JSON_LD:
            return _json_ld(relations)
        case GraphForm.MCP_MEMORY:
            return _mcp_memory(relations)


def _entities(relations: Iterable[EntityRelation]) -> Mapping[str, str]:
    """Return the entities by name, each as it is written."""
    found: dict[str, str] = {}
    for one in relations:
        for end in (one.subject,) if one.is_value else (one.subject, one.object):
            found.setdefault(named(end), end)
    return found


def _graphml(relations: Sequence[EntityRelation]) -> str:
    root = Xml.Element("graphml", xmlns=_XML)
    fields = ("predicate", "since", "until", "confidence", "evidence")
    for name, of in (("name", "node"), *((field, "edge") for field in fields)):
        type = "double" if name == "confidence" else "string"
        Xml.SubElement(root, "key", {"id": name, "for": of, "attr.name": name, "attr.type": type})
    graph = Xml.SubElement(root, "graph", edgedefault="directed")
    for name, written in _entities(relations).items():
        _data(Xml.SubElement(graph, "node", id=_NOT_IN_XML.sub(" ", name)), {"name": written})
    for number, one in enumerate(relations):
        target = named(one.object)
        if one.is_value:
            target = f"value {number}"
            _data(Xml.SubElement(graph, "node", id=target), {"name": one.object})
        ends = {"source": _NOT_IN_XML.sub(" ", named(one.subject)), "target": _NOT_IN_XML.sub(" ", target)}
        edge = Xml.SubElement(graph, "edge", {"id": f"e{number}", **ends})
        _data(edge, {**_fields(one), "evidence": " ".join(one.evidence)})
    Xml.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _data(parent: Xml.Element, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if value is not None:
            text = value if isinstance(value, str) else str(value)
            Xml.SubElement(parent, "data", key=name).text = _NOT_IN_XML.sub(" ", text)


def _fields(one: EntityRelation) -> dict[str, Any]:
    return {
        "predicate": one.predicate,
        "since": one.since.isoformat(),
        "until": None if one.until is None else one.until.isoformat(),
        "confidence": one.confidence,
        "evidence": list(one.evidence),
    }


def _json_ld(relations: Sequence[EntityRelation]) -> str:
    ids = {name: f"_:e{number}" for number, name in enumerate(_entities(relations))}
    nodes: list[dict[str, Any]] = [
        {"@id": ids[name], "@type": "Entity", "name": written} for name, written in _entities(relations).items()
    ]
    statements = [
        {
            "@type": "Statement",
            "subject": {"@id": ids[named(one.subject)]},
            "object": one.object if one.is_value else {"@id": ids[named(one.object)]},
            **{name: value for name, value in _fields(one).items() if value is not None},
        }
        for one in relations
    ]
    document = {"@context": {"@vocab": _VOCABULARY}, "@graph": [*nodes, *statements]}
    return f"{json.dumps(document, ensure_ascii=False, indent=1)}\n"


def _mcp_memory(relations: Sequence[EntityRelation]) -> str:
    """Return valid relations as the lines of a `memory.jsonl`; values are observations of their subject."""
    valid = [one for one in relations if one.until is None]
    observations: dict[str, list[str]] = {name: [] for name in _entities(valid)}
    for one in valid:
        if one.is_value:
            observations[named(one.subject)].append(f"{one.predicate.replace('_', ' ')} {one.object}")
    lines: list[dict[str, Any]] = [
        {"type": "entity", "name": written, "entityType": "entity", "observations": observations[name]}
        for name, written in _entities(valid).items()
    ]
    lines += [
        {"type": "relation", "from": one.subject, "to": one.object, "relationType": one.predicate}
        for one in valid
        if not one.is_value
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
