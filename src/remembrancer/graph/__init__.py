"""The knowledge graph: entities and relations, read from the memories that name them."""
