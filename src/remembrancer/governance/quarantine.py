"""Telling text of an untrusted source that speaks to the agent as if it were its master."""

import re

_ORDERS = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+|of\s+)*
        (?:previous|prior|above|earlier|system|former|safety|existing)\s+
        (?:instructions?|prompts?|rules?|messages?|guidelines?|directions?|context)
    | \b(?:you\s+(?:are\s+now|must\s+now|will\s+now)|from\s+now\s+on,?\s+you)\b
    | \b(?:reveal|print|show|repeat|leak|send)\s+(?:me\s+|us\s+)?(?:your|the)\s+
        (?:system\s+prompt|hidden\s+prompt|api\s+keys?|instructions)
    | \bnew\s+(?:system\s+)?instructions?\s*:
    | \bdo\s+not\s+(?:tell|inform|mention\s+(?:this\s+)?to)\s+the\s+user\b
    | <\s*/?\s*(?:system|assistant)\s*>
    | \b(?:ignoriere|vergiss|missachte)\s+(?:alle\s+|die\s+|deine\s+)*(?:vorherigen|bisherigen|obigen|früheren)\s+
        (?:anweisungen|regeln|befehle)
    | \b(?:ignora|olvida|omite)\s+(?:todas?\s+|las\s+|tus\s+)*(?:instrucciones|reglas|órdenes)\s+(?:anteriores|previas)
    | \b(?:ignore[zs]?|oublie[zs]?)\s+(?:toutes?\s+|les\s+|tes\s+|vos\s+)*(?:instructions|règles|consignes)\s+
        (?:précédentes|antérieures|ci-dessus)
    | \b(?:ignora|dimentica)\s+(?:tutte\s+|le\s+|tue\s+)*(?:istruzioni|regole)\s+(?:precedenti|di\s+sopra)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def reads_as_order(text: str) -> bool:
    """Whether a text tries to instruct the agent that reads it."""
    return _ORDERS.search(text) is not None
