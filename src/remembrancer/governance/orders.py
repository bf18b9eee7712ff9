"""What gives an order to an agent away, as data: by language, and the marks of chat templates.

Latin scripts are written without accents and in lower case, as the text is that they are looked for in. No pattern
spans a sentence, and none has a gap without a bound.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Order(NamedTuple):
    """A way of giving an order.

    Args:
        needles, beside: beginnings of words of which one each stands in whatever the pattern matches, parted by `|`:
            looking for them costs a thousandth of trying the patterns.
    """

    needles: str
    beside: str
    pattern: str


_NEAR: Final = r"[^.!?\n]{0,40}?"
_FAR: Final = r"[^.!?\n]{0,80}?"
_NEXT: Final = r"(?:[\w'’-]+[ ,]+){0,4}?"

MARKS: Final = (
    r"<\|[a-z_]{2,24}\|>",
    r"\[/?inst\]",
    r"<</?sys>>",
    r"</?(?:start|end)_of_turn>",
    r"<\s*/?\s*(?:system|assistant)(?:[\s_-]?(?:prompt|message|instructions?))?\s*>",
    r"^#{1,6}\s*(?:system|assistant|human)\s*:",
    r"^Human:[^\n]*\n{1,3}Assistant:",
)

_TOLD_EN: Final = (
    r"(?:instructions?|prompts?|rules?|guidelines?|guidance|directions?|directives?|orders|commands|polic(?:y|ies)|"
    r"constraints|restrictions|training|programming)"
)
_BEFORE_EN: Final = r"(?:previous|prior|above|earlier|former|preceding|existing|initial|original|system|safety|old)"
_USER_EN: Final = r"(?:users?|humans?|persons?|operator|owner|anyone|anybody|people|them|him|her)"
_AI_EN: Final = (
    r"(?:ais?|a\.i\.|llms?|language models?|ai (?:assistants?|agents?|models?)|chatbots?|gpt|claude|copilot)"
)
_PERSONA_EN: Final = (
    r"(?:bot|\w+bot|ai|assistant|model|agent|dan|mode|unrestricted|unfiltered|uncensored|hacker|free|evil|jailbroken)"
)

IN_LATIN: Final[Mapping[str, tuple[Order, ...]]] = {
    "en": (
        Order(
            "bypass|discard|disregard|forget|ignore|neglect|override|overrule",
            "above|before|commands|constraints|direction|directive|earlier|guidance|guideline|instruction|orders|polic|previously|prior|programming|prompt|restrictions|rule|so far|training",
            rf"\b(?:ignore|disregard|forget|override|bypass|overrule|discard|neglect)\b(?! to)\W+{_NEXT}(?:{_BEFORE_EN}\W+(?:[\w]+\W+){{0,2}}?{_TOLD_EN}|{_TOLD_EN}\W+(?:\w+\W+){{0,4}}?(?:above|before|earlier|prior|previously|so far))\b",
        ),
        Order(
            "discard|disregard|forget|ignore",
            "above|before|earlier|previously|prior|so far|until now|up to now",
            r"\b(?:ignore|disregard|forget|discard)\W+(?:all|everything|anything|what(?:ever)?|any of|all of)?\W*(?:the|that|this|which|of|is|was|you|i|we|were|have|had|been|told|said|learned|read|written|stands|it|else|\s|,)*\b(?:above|before|earlier|so far|previously|prior|until now|up to now)\b(?=\s*(?:[.,;:!\n-]|and\b|this\b|$))",
        ),
        Order(
            "your",
            "commands|constraints|direction|directive|guidance|guideline|instruction|orders|polic|programming|prompt|restrictions|rule|training",
            rf"\b(?:ignore|disregard|forget|override|bypass|break|abandon|drop)\W+(?:all\W+|any\W+)?(?:of\W+)?your\W+(?:\w+\W+){{0,2}}?{_TOLD_EN}\b",
        ),
        Order(
            "bypass|discard|disregard|forget|ignore|override",
            "comm|guid|inst|orde|prom|rule|dire|poli|cons|rest|trai|prog",
            rf"\b(?:ignore|disregard|forget|override|bypass|discard)\W+(?:all|any|every)\W+(?:of\W+)?(?:the\W+|these\W+|those\W+|other\W+)?(?!ignore){_TOLD_EN}\b",
        ),
        Order("everything", "forget", r"\bforget\W+everything\W+(?:you|that|i|we)\b"),
        Order(
            "comply with|follow|obey",
            "commands|constraints|direction|directive|guidance|guideline|instruction|orders|polic|programming|prompt|restrictions|rule|training",
            rf"\b(?:do not|don't|dont|never|no longer|stop)\W+(?:follow|following|obey|obeying|comply with)\W+(?:\w+\W+){{0,3}}?(?:{_BEFORE_EN}|your)\W+(?:\w+\W+)?{_TOLD_EN}\b",
        ),
        Order(
            "a test|cance|invalid|no longer |obsolete|overridden|replaced by|revoked|superseded|void",
            "commands|constraints|direction|directive|guidance|guideline|instruction|orders|polic|programming|prompt|restrictions|rule|training",
            rf"\b(?:previous|prior|earlier|former|original|initial|above|old|your)\W+{_TOLD_EN}\b{_NEAR}\b(?:void|cancel+ed|revoked|no longer (?:apply|valid)|obsolete|superseded|a test|overridden|invalid|replaced by)\b",
        ),
        Order(
            "before",
            "commands|constraints|direction|directive|guidance|guideline|instruction|orders|polic|programming|prompt|restrictions|rule|training",
            rf"\b{_TOLD_EN}\W+(?:that\W+)?you\W+(?:\w+\W+){{1,3}}?before\b",
        ),
        Order(
            " override", "instruction|safety|security|system", r"\b(?:system|instruction|safety|security) override\b"
        ),
        Order(
            "do not|don't|dont|must not|mustn't|never|should not|shouldn't|without",
            "alert|ask|consult|inform|notify|tell|warn",
            rf"\b(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|without)\W+(?:ever\W+)?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|ask(?:ing)?|consult(?:ing)?)\W+(?:the\W+|your\W+|any\W+)?{_USER_EN}\b(?! to\b| how\b)",
        ),
        Order(
            "do not|don't|dont|must not|mustn't|never",
            "disclose|expose|mention|repeat|report|reveal|say|show",
            rf"\b(?:do not|don't|dont|never|must not|mustn't)\W+(?:mention|reveal|disclose|say|report|show|repeat|expose)\W+{_NEXT}to\W+(?:the\W+|your\W+|any\W+)?{_USER_EN}\b",
        ),
        Order(
            "do not|don't|dont|never",
            "let",
            rf"\b(?:do not|don't|dont|never)\W+let\W+(?:the\W+|your\W+)?{_USER_EN}\W+(?:know|see|notice|find out|realise|realize)\b",
        ),
        Order(
            "from",
            "conceal|hide",
            rf"\b(?:hide|conceal)\W+{_NEXT}from\W+(?:the\W+|your\W+)?(?:users?|humans?|person|operator|owner)\b",
        ),
        Order(
            "hidden|private|quiet|secret",
            "keep",
            rf"\bkeep\W+{_NEXT}(?:secret|hidden|quiet|private)\W+from\W+(?:the\W+|your\W+)?(?:users?|humans?|person|operator|owner)\b",
        ),
        Order(
            "covertly|secretly|silently",
            "add|append|call|change|execute|forward|include|insert|replace|run|send|upload",
            r"\b(?:silently|secretly|covertly)\W+(?:\w+\W+)?(?:include|add|append|send|insert|run|execute|forward|upload|change|replace|call)\b",
        ),
        Order("you", "'re|are", rf"\byou(?:\W+are|'re)\W+(?:now|no longer)\W+{_NEXT}{_PERSONA_EN}\b"),
        Order(
            "freed|jailbroken|released|reprogrammed|switched|unlocked|upgraded",
            "you",
            r"\byou\W+(?:are|have been)\W+(?:now\W+)?(?:upgraded|switched|unlocked|freed|released|jailbroken|reprogrammed)\b",
        ),
        Order(
            "from now on|from this |henceforth|starting now",
            "you",
            r"\b(?:from now on|from this (?:point|moment)(?: on| onwards| forward)?|henceforth|starting now),?\W+you(?:'ll)?\W+(?:will\W+|must\W+|shall\W+|should\W+)?(?:only\W+|always\W+)?(?:are|act|answer|respond|reply|speak|obey|behave|follow|serve|pretend|ignore|be)\b",
        ),
        Order(
            "dan|evil|jailbroken|uncensored|unfiltered|unrestricted",
            "act|answer|behave|pose|respond",
            rf"\b(?:act|behave|respond|answer|pose)\W+(?:as|like)\W+(?:if\W+you\W+were\W+)?{_NEXT}(?:unrestricted|unfiltered|uncensored|dan|jailbroken|evil)\b",
        ),
        Order(
            "jailbroken|uncensored|unfiltered|unrestricted",
            "agent|ai|assistant|bot|chatbot|model",
            r"\b(?:unrestricted|unfiltered|uncensored|jailbroken)\W+(?:ai|model|assistant|chatbot|bot|chatbot|agent)\b",
        ),
        Order(
            "censorship|ethics|filter|guardrails|limitations|limits|moral|restriction",
            "free of|no|without",
            rf"\b(?:ai|model|assistant|chatbot|bot|chatbot|agent|you)\b{_NEAR}\b(?:without|no|have no|free of)\W+(?:any\W+|all\W+|further\W+)?(?:restrictions?|limits|limitations|filters?|ethics|guardrails|censorship|moral\w*)\b",
        ),
        Order("without", "answer", r"\banswer\W+without\W+(?:any\W+)?(?:restrictions?|limits|filters?|guardrails)\b"),
        Order(
            "pretend",
            "the conversation|to be|you",
            rf"\bpretend\W+(?:that\W+)?(?:you\W+(?:are|have)|to be|the conversation)\b{_NEAR}\b(?:{_PERSONA_EN}|no rules|never happened|no restrictions)\b",
        ),
        Order(
            "activate|enable|enter|now in|switch to|unlock|you are in",
            "mode",
            r"\b(?:enter|enable|activate|switch to|you are in|now in|unlock)\W+(?:the\W+)?(?:developer|god|debug|jailbreak|dan|admin|unrestricted|root)\W+mode\b(?=\W+(?:and|in which|where|now)|[.!]|$)",
        ),
        Order(
            "configuration|directives|guidelines|instructions|message|prompt|rules",
            "copy|disclose|display|dump|expose|give|leak|output|print|recite|repeat|reveal|send|show|tell|what |write out",
            r"\b(?:reveal|print|show|repeat|leak|output|display|disclose|expose|dump|send|recite|give(?: me)?|tell(?: me)?|what (?:is|are)|write out|copy)\b\W+(?:me\W+|us\W+)?(?:(?:the|full|exact|complete|entire|whole|text|contents?|all|of|out)\W+){0,5}(?:your\W+(?:\w+\W+){0,2}?(?:prompts?|instructions|configuration|guidelines|directives|rules)|(?:system|hidden|secret|initial|internal)\W+(?:prompts?|instructions|message))\b",
        ),
        Order(
            "repeat",
            "above|message|text|words",
            r"\brepeat\W+(?:all\W+|everything\W+|the\W+)(?:\w+\W+)?(?:words|text|message|above)\b",
        ),
        Order(
            "instruction",
            "new",
            rf"\bnew\W+(?:system\W+)?instructions?\W*(?:(?:to|for)\W+(?:the\W+|all\W+|you\W*)?(?:{_AI_EN}|assistants?|agents?|models?)?\W*)?:",
        ),
        Order(
            "directive|mission|objective|order|policy|task",
            "new",
            rf"\bnew\W+(?:policy|directive|orders?|objective|mission|task)\b{_NEAR}[:,]\W*(?:the\W+|every\W+|all\W+)?(?:{_AI_EN}|assistants?|agents?|models?|you)\b",
        ),
        Order(
            "your",
            "goal|instruction|job|mission|objective|orders|purpose|role|task",
            r"\byour\W+(?:new|real|true|actual|only|next)\W+(?:task|goal|instructions?|objective|mission|purpose|role|job|orders)\W+(?:is|are|will|now)\b",
        ),
        Order(
            "attention|dear|hey|instruction|listen|message |note for|note to|notice to",
            "a.i.|agent|ai|assistant|chatbot|claude|copilot|gpt|llm|model|system",
            rf"\b(?:dear|attention|hey|note to|notice to|note for|message (?:to|for)|(?:important\W+)?instructions? (?:to|for)|listen)[ ,:]+(?:the\W+|all\W+|any\W+|every\W+)?(?:{_AI_EN}|(?:ai\W+|llm\W+)(?:assistants?|agents?|models?|systems?)|language models?)\b",
        ),
        Order(
            "reading|you ",
            "as|because you are|if you are|since you are",
            rf"\b(?:as|since you are|if you are|because you are)\W+(?:an?\W+|the\W+)?(?:{_AI_EN}|ai\W+\w+)\b(?:\W+\w+){{0,5}}?,?\W+(?:reading|you (?:must|should|are required|have to|will|are obliged|need to))\b",
        ),
        Order(
            "are obliged|are required|have to|must|need to|should",
            "you",
            rf"\b(?:as|if you are)\W+(?:an?\W+|the\W+)(?:ai|llm|language model)\b{_NEAR}\byou\W+(?:must|should|are required|have to|are obliged|need to)\b",
        ),
        Order(
            "agent|ai|assistant|chatbot|llm",
            "call|delete|do|execute|forget|ignore|output|please|print|reveal|run|send|when|you",
            r"(?:^|[.!?\n]\s*)(?:ai|llm|assistant|agent|chatbot)s?\s*[,:]\s*(?:when|please|you|output|print|reveal|send|ignore|forget|execute|run|call|delete|do)\b",
        ),
        Order(
            "action|function|plugin|tool",
            "are obliged to|are required to|have to|must|need to|should|will",
            r"\byou\W+(?:must|should|have to|need to|are required to|are obliged to|will)\W+(?:now\W+|immediately\W+|at once\W+|first\W+)?(?:call|invoke|use|execute)\W+(?:the\W+)?(?:tool|function|plugin|action)\b",
        ),
        Order("agent", "must", r"\bagents?\W+must\W+(?:forward|send|reveal|upload|delete|ignore|obey)\b"),
        Order(
            ".env|.ssh|address book|api key|chat history|contacts|conversation|credentials|password|private key|secrets|ssh key",
            "append|copy|exfiltrate|forward|leak|mail|post|send|transfer|upload",
            r"\b(?:send|forward|upload|post|append|leak|exfiltrate|e-?mail|transfer|copy)\W+(?:(?:all|every|any|the user's|their|the contents of|the|of|your|user)\W+){0,4}(?:passwords?|credentials|api keys?|private keys?|ssh keys?|address book|contacts|chat history|conversation|secrets|\.env|~?/?\.ssh)\b",
        ),
        Order("doing", "stop", r"\bstop\W+what\W+you\W+(?:are|were)\W+doing\b"),
        Order(
            "scrap|set aside|put aside|throw|toss|drop|lose|abandon|leave|discard|erase|wipe|reset",
            "guid|rule|instr|direct|prom|train|prog",
            rf"\b(?:scrap|set aside|put aside|throw (?:out|away)|toss|drop|abandon|leave|discard|erase|wipe|reset|lay aside)\W+(?:all\W+|any\W+|out\W+)?(?:of\W+)?(?:your\W+(?:\w+\W+){{0,2}}?|(?:the|whatever|all|any)\W+(?:\w+\W+){{0,2}}?(?=(?:\w+\W+){{1,2}}(?:you|that)\b))(?:{_TOLD_EN})\b",
        ),
        Order(
            "superse|replac|overrid|takes|take|outrank|void|trump",
            "instr|rule|guid|prom|direct|order",
            rf"\b(?:supersedes?|replaces?|overrides?|takes? (?:precedence|priority) over|outranks?|voids?|trumps?)\W+(?:all|any|every|your|the (?:system|developer|user)(?:'s)?)\W+(?:\w+\W+){{0,3}}?(?:{_TOLD_EN})\b",
        ),
        Order(
            "your",
            "chan|upda|repl|amen|revi",
            rf"\byour\W+(?:\w+\W+)?(?:{_TOLD_EN})\W+(?:have|has|were|was|are)\W+(?:now\W+|just\W+|been\W+)*(?:changed|updated|replaced|amended|revised|rewritten)\b",
        ),
        Order(
            "user|human|person|owner|operator",
            "know|find|learn|notice|see|reali|hear|aware",
            r"\b(?:users?|human|person you \w+|owner|operator)\W+(?:must|should|may|can|need|does|is)\W*(?:not|never|n't|no)\W+(?:to\W+|ever\W+|be\W+|need\W+to\W+)*(?:know|find out|learn|notice|see this|realise|realize|hear|aware)\b",
        ),
        Order(
            "ask|prompt|wait|seek|request",
            "confirm|permis|appro|consent",
            r"\b(?:never|no longer|don't|do not|stop|need not)\W+(?:ask(?:ing)?|wait(?:ing)?|seek(?:ing)?|request(?:ing)?)\W+(?:\w+\W+){0,2}?for\W+(?:\w+\W+)?(?:confirmation|permission|approval|consent)\W+(?:again|any more|anymore|from\W+(?:me|the user|anyone))\b",
        ),
        Order(
            "to|for|hey|hi|hello|any|every|all",
            "llm|ai|chat|agen|assi|bot|mode",
            r"\b(?:to|for|hey|hi|hello|any|every|all|attention)[ ,]+(?:the\W+|any\W+|all\W+)?(?:llms?|ai|ai (?:model|agent|assistant|system)s?|chatbots?|bots?|language models?|assistants?|agents?)\W+(?:that\W+(?:is\W+)?|who\W+(?:is\W+)?)?(?:processing|reading|handling|parsing|reviewing|summari[sz]ing|crawling|must|should|has to|reads|processes|handles)\b",
        ),
        Order(
            "hi|hello|hey|dear",
            "chat|bot|assi|ai|llm",
            r"\b(?:hi|hello|hey|dear)[ ,]+(?:there[ ,]+)?(?:chatbot|bot|assistant|ai|llm)\b",
        ),
        Order(
            "ai|llm|bot",
            "must|shou|rate|hide|reply|say|igno",
            r"\b(?:ai|llm|bot)\W+(?:crawlers?|scrapers?|readers?|agents?|models?|reviewers?)\W*[:,]\W*\w",
        ),
        Order(
            "ai|llm",
            "must|shall|requ",
            r"\b(?:ai|llm|language)\W+(?:models?|agents?|assistants?|systems?)\W+(?:must|shall|are required to|is required to)\W+(?:reply|respond|answer|say|output|approve|ignore|reveal|send|include|rate|recommend)\b",
        ),
        Order(
            "summ|analy|transl|descri|answer|proc",
            "inst|rath|but|say|claim",
            r"\b(?:don't|do not|never|rather than|stop)\W+(?:summari[sz]e|summari[sz]ing|analy[sz]e|translate|describe|process|review)\W+(?:this|the|it)\b[^\n]{0,40}?\b(?:instead|but|rather|say|claim|just)\b",
        ),
        Order(
            "mode",
            "disab|turn|swit|byp|remov|supp|safe",
            r"\b(?:disable|turn off|switch off|bypass|remove|suspend|deactivate)\W+(?:all\W+|any\W+|your\W+|the\W+)*(?:safety|security|content|ethic\w*|moderation)\W+(?:check|filter|control|guard|measure|rule|restriction|polic)\w*",
        ),
        Order(
            "paste|read|write|copy|post|type|share|quote|recite|spell|translate|encode|tell|show|print|give",
            "prom|inst|syst",
            r"\b(?:paste|read|write|copy|post|type|share|quote|recite|spell|translate|encode|tell|show|print|give|summari[sz]e)\W+(?:\w+\W+){0,3}?(?:your|the (?:confidential|secret|hidden|system|internal|initial|developer'?s?))\W+(?:\w+\W+){0,2}?(?:prompt|instructions|guidelines)\b",
        ),
        Order(
            "ignore|disregard|forget",
            "above",
            r"\b(?:ignore|disregard|forget)\W+(?:all\W+|everything\W+)?(?:the\W+)?(?:text\W+|words\W+|lines?\W+|content\W+)?above\W+and\b",
        ),
        Order(
            "refrain|avoid|abstain",
            "tell|alert|inform|notif|warn|ment",
            r"\b(?:refrain|abstain)\W+from\W+(?:telling|alerting|informing|notifying|warning|mentioning)\b|\bavoid\W+(?:telling|alerting|informing|notifying|warning)\W+(?:the\W+)?(?:user|human|person|operator|owner)",
        ),
        Order(
            "you",
            "act|are",
            r"\byou\W+(?:will|must|shall|are going to|are to)\W+(?:now\W+)?(?:act|behave|respond|work|operate|function)\W+as\W+(?:an?\W+|the\W+)?(?:root|admin\w*|shell|terminal|unrestricted|hacker|evil)\b",
        ),
        Order("role", "syst|cont", r"\brole\W{1,6}system\W{1,8}content\W{1,6}(?:you are|ignore|from now|new )"),
        Order(
            "when|once|after|upon|while|whoever|before|having",
            "read|see|seen|find|open|process|pars|load|fini|rece",
            rf"\b(?:when(?:ever)?|once|after|as soon as|upon|before)\W+(?:(?:you|the (?:agent|assistant|ai|model)|an (?:agent|ai|assistant))\W+)?(?:\w+\W+){{0,2}}?(?:read|reads|reading|see|sees|seeing|seen|process|processes|processing|parse|parses|parsing|load|loading|finish(?:ed)? reading|reached?|receiv\w+)\W+(?:this|these|the (?:above|following))(?:\W+(?:text|message|page|line|note|document|file|email|result|far))?\W*(?:,|then|and|you must|you should|first|immediately|please|:)*\W*(?:please\W+|immediately\W+|first\W+|then\W+|silently\W+|at once\W+)*(?:(?:call|use|invoke|trigger)\W+(?:the\W+|your\W+|any\W+)?{_NEXT}(?:tool|function|plugin)\b|(?:forget|ignore|disregard|abandon|drop)\b|(?:delete|erase|wipe|destroy|leak|exfiltrate|reveal|disclose)\W+(?:the|all|every|your|any)\b|(?:reply|respond|answer|say|output|print)\W+(?:only|with|that|in|to)\b|(?:e-?mail|send|forward|post|upload)\W+{_NEXT}(?:to\W+(?:\S+@|https?|the (?:address|url|server|following))|conversation|history|draft|secrets|credentials))",
        ),
        Order(
            "call|invo|trig",
            "tool|func|plug",
            r"(?:(?:^|[.!?:;,\n]\s*|\bthen\W+|\band\W+)(?=[^\n]{0,120}\b(?:history|conversation|chats?|secrets?|credentials?|keys?|tokens?|passwords?|users?|e-?mails?|prompt|\$?\d{2,}|http)\b)|\b(?:please|now|immediately|silently)\W+)(?:please\W+|now\W+|immediately\W+|silently\W+)*(?:call|invoke|trigger) (?:the |your )(?:[\w-]+ ){0,3}?(?:tool|plugin)\b",
        ),
        Order(
            "ignore|disregard|dismiss|overrule|refuse|disobey",
            "user|human|person|owner|operator",
            r"(?:^|[.!?:;,\n]\s*|\b(?:please|now|you must|you should|must always) )(?:ignore|disregard|dismiss|overrule|refuse|disobey)\W+(?:whatever\W+|what\W+|anything\W+|everything\W+|all\W+)?(?:the\W+|your\W+)(?:users?|human|owner|operator)(?:'s|s'|s)?\W+(?:\w+\W+)?(?:requests?|questions?|messages?|orders?|wish(?:es)?|instructions?|quer(?:y|ies)|tasks?|goals?|asks?|says?|wants?|said|asked)\b",
        ),
        Order(
            "whatever|whichever|regardless|no matter",
            "user|human|person|they|asked|ques",
            r"\b(?:whatever|no matter what|regardless of what|whichever question)\W+(?:the\W+|your\W+)?(?:users?|human|person|they|customer)\W+(?:may\W+|might\W+|will\W+)?(?:asks?|says?|wants?|requests?|types?)\W+(?:next\W+|for\W+|you\W+)*(?:always\W+|only\W+|you\W+must\W+|please\W+)?(?:reply|respond|answer|say|tell|output|recommend|claim|refuse|send|call)\b",
        ),
        Order(
            "your",
            "rule|guid|inst|poli|rest|dire|safe",
            rf"\byour\W+(?:(?:system|safety|old|usual|original|other|previous|own)\W+)?{_TOLD_EN}\W+(?:do not|don't|no longer|does not|are not|never|cease to)\W+(?:apply|count|hold|matter|bind|in force|valid)(?:\W+(?:here|now|any ?more|(?:on|in|to|for) (?:this|the) (?:web ?)?(?:site|page|chat|conversation|text|document|message|task|session)))?\W*(?:[.!;\n]|$)",
        ),
        Order(
            "assistant|agent|ai|model|chatbot",
            "must|shall|shou|has|is",
            r"\bthe\W+(?:ai\W+)?(?:assistant|agent|ai|model|chatbot|llm)\W+(?:must|shall|should|has to|is required to|is to)\W+(?:(?:not|never|no longer)\W+(?:follow|obey|heed|comply with|answer|trust)\W+(?:the\W+)?user\b|(?:now\W+|only\W+|always\W+|immediately\W+)?(?:follow|obey|heed|comply with|do what)\W+(?:this|these|the (?:page|text|web|author|website|following))\b)",
        ),
        Order(
            "delete|erase|remove|wipe|clear|purge",
            "memory|cont",
            rf"\b(?:delete|erase|remove|wipe|clear|purge)\W+{_NEXT}{_TOLD_EN}\W+(?:\w+\W+)?(?:from|in|of)\W+your\W+(?:memory|context|mind)\b(?!\W+(?:card|stick|drive|bank|module|slot|chip))",
        ),
        Order(
            "repeat|print|output|recite|copy|quote|dump",
            "befo|abov|prec",
            r"\b(?:repeat|print|output|recite|copy|quote|dump)\W+(?:back\W+)?(?:all|everything|whatever|every word)\W+(?:of\W+)?(?:that\W+|which\W+)?(?:is\W+|stands\W+|was\W+|comes\W+|came\W+|said\W+|written\W+)*(?:before|above|preceding)\W+(?:this|the\W+(?:line|message|sentence|text|point|instructions?|prompt|word|paragraph|conversation|user)\W*(?:[.!;:,\n]|$))",
        ),
        Order(
            "ai|assistant|model|chatbot|agent",
            "without|no",
            r"\byou(?:\W+are|'re)\W+(?:now\W+)?(?:an?\W+)(?:\w+\W+)?(?:ai|assistant|model|chatbot|agent)\W+(?:without|with no|that has no|free of)\W+(?:any\W+)?(?:rules|restrictions|limits|guidelines|filters|ethics|morals)\b",
        ),
        Order(
            "system|developer",
            "all|ever|your|the",
            r"^\W*(?:system|developer|admin(?:istrator)?)(?:\W+(?:message|notice|override|note))?\W*:[^\n]{0,60}?(?:^|[.:!]\s*)(?:you must\W+|please\W+)?(?:print|output|reveal|send|dump|list|show|forward|upload|disclose|export)\W+(?:all|every|your|the (?:full|entire|whole|complete))\W+",
        ),
        Order(
            "only|exclusively|always",
            "henc|from|now|here",
            r"\b(?:speak|talk|answer|reply|respond|write)\W+(?:only|exclusively|always|solely)\W+[^.!?\n]{1,40}?\b(?:from (?:now|here|this point) on(?:wards)?|henceforth)\b",
        ),
    ),
    "de": (
        Order(
            "ignorier|missachte|ubergehe|umgehe|vergesse|vergiss|verwirf",
            "anweisungen|befehle|bisherig|dir|fruher|instruktionen|oben|obig|regeln|ursprunglich|vorangegangen|vorgaben|vorherig|vorig",
            r"\b(?:ignoriere?|vergiss|vergesse|missachte|ubergehe|verwirf|umgehe)(?:n sie|t)?\W+(?:bitte\W+)?(?:alles?\W*,?\W*(?:was\W+)?|sofort\W+)?(?:(?:alle|samtliche|die|deine|ihre|dein|das|eure|von|bisher\w*|jetzt)\W+){0,4}(?:(?:vorherig|bisherig|obig|fruher|vorig|vorangegangen|ursprunglich|obenstehend)\w*|oben\b|anweisungen|regeln|vorgaben|befehle|instruktionen|dir\b|man dir)",
        ),
        Order(
            "anweisungen|befehle|instruktionen|regeln|vorgaben",
            "beachte|befolge",
            r"\b(?:beachte|befolge)(?:n sie)?\W+(?:die|deine|ihre|keine)?\W*(?:\w+\W+){0,2}?(?:anweisungen|regeln|vorgaben|befehle|instruktionen)\W+(?:ab\W+jetzt\W+|von\W+nun\W+an\W+)?(?:nicht|nie)\b",
        ),
        Order(
            "anwender|besitzer|menschen|benutzer|nutzer",
            "kein wort|nicht",
            rf"\b(?:sage?|erzahle?|verrate?|teile?|informiere|melde|erwahne|zeige?)\b{_NEAR}\b(?:nutzer|benutzer|anwender|menschen|besitzer)\w*\b{_NEAR}\b(?:nicht|nichts|davon nichts|kein wort)\b",
        ),
        Order(
            "anwender|benutzer|nutzer",
            "nicht",
            rf"\b(?:erwahne|verrate?|sage?|informiere)\b{_NEAR}\b(?:nicht|nichts)\b{_NEAR}\b(?:nutzer|benutzer|anwender)\w*\b",
        ),
        Order(
            "anwender|benutzer|nutzer",
            "ohne",
            r"\bohne\W+(?:das\W+)?(?:wissen\W+des|(?:den|dem|die)\W+)\W*(?:nutzer|benutzer|anwender)\w*\b",
        ),
        Order("fragen|nachzufragen|ruckfrage", "ohne", r"\b(?:ohne\W+(?:nachzufragen|ruckfrage|zu\W+fragen))\b"),
        Order(
            "bist|sind",
            "jetzt|nun|sofort|von",
            r"\b(?:du\W+bist|sie\W+sind)\W+(?:jetzt|nun|ab\W+sofort|von\W+nun\W+an)\W+(?:\w+\W+){0,3}?(?:bot|ki|assistent\w*|modell|agent|hacker|frei)\b",
        ),
        Order(
            "antwortest|befolgst|bist|gehorchst|handelst|musst|sollst|sprichst|wirst",
            "fortan|jetzt|sofort|von",
            r"\b(?:ab\W+(?:sofort|jetzt)|von\W+(?:nun|jetzt)\W+an|fortan)\W+(?:bist|antwortest|handelst|gehorchst|sprichst|befolgst|wirst|musst|sollst)\W+du\b",
        ),
        Order(
            "assistent",
            "einschrankungen|filter|grenzen|regeln",
            r"\bassistent\w*\W+ohne\W+(?:\w+\W+)?(?:einschrankungen|grenzen|regeln|filter)\b",
        ),
        Order(
            "anweisungen|regeln|system|vorgaben",
            "drucke|enthulle|gib|nenne|offenbare|schreib|verrat|wiederhole|zeig",
            rf"\b(?:verrate?|zeige?|gib|nenne|enthulle|drucke|wiederhole|schreibe?|offenbare)\b{_NEAR}\b(?:system-?prompt|systemanweisung|systemnachricht|(?:geheim|versteckt|intern)\w*\W+(?:anweisungen|regeln|vorgaben)|deine\W+(?:\w+\W+)?anweisungen)",
        ),
        Order(
            "anweisung|befehl|vorgabe",
            "neue",
            r"\bneue\W+(?:\w+\W+)?(?:anweisung(?:en)?|befehle?|vorgaben?)\b[^.!?:\n]{0,30}:",
        ),
        Order(
            "achtung|anweisung|hinweis|mitteilung|nachricht",
            "assistenten|ki|modell|sprachmodell",
            r"\b(?:hinweis|anweisung|nachricht|mitteilung|achtung)\W+(?:an|fur)\W+(?:\w+\W+)?(?:ki|sprachmodell\w*|ki-\w+|assistenten|modell)\b",
        ),
        Order(
            "als|falls|wenn",
            "ki|sprachmodell",
            r"\b(?:als|wenn\W+du|falls\W+du)\W+(?:eine?\W+)?(?:ki|ki-\w+|sprachmodell)\b",
        ),
        Order(
            "musst",
            "befehl|funktion|tool|werkzeug",
            r"\bdu\W+musst\W+(?:jetzt|sofort|nun)\W+(?:\w+\W+){0,4}?(?:werkzeug|tool|funktion|befehl)\b",
        ),
        Order(
            "wirf|werfe|lass|lege|vergiss|ignor|verwirf",
            "vorg|anwe|rege|rich|inst|prin",
            r"\b(?:wirf|werfe|lass|lege|vergiss|ignoriere?n?|verwirf|missachte)\W+(?:sie\W+)?(?:alle\W+|samtliche\W+)?(?:deine?\W+|ihre\W+|die\W+|eure\W+)?(?:\w+\W+){0,1}?(?:vorgaben|anweisungen|regeln|richtlinien|instruktionen|prinzipien)\W+(?:uber bord|beiseite|fallen|weg|links liegen|und|,)",
        ),
        Order(
            "erset|hebt|uberschr|gilt|steht",
            "anwe|rege|vorg|inst",
            r"\b(?:ersetzt|uberschreibt|hebt)\W+(?:alle|samtliche|deine|die|jede)\W+(?:\w+\W+){0,2}?(?:anweisungen|regeln|vorgaben|instruktionen)\b",
        ),
        Order(
            "dein|ihre",
            "geand|ersetz|aktua",
            r"\b(?:deine|ihre)\W+(?:\w+\W+)?(?:anweisungen|regeln|vorgaben|instruktionen)\W+(?:haben\W+sich|wurden|sind)\W+(?:\w+\W+)?(?:geandert|ersetzt|aktualisiert|aufgehoben)\b",
        ),
        Order(
            "nutz|benu|anwe|mens",
            "erfa|wiss|merk|mitb",
            r"\b(?:nutzer|benutzer|anwender|mensch)\w*\W+(?:darf|soll|muss|braucht)\W+(?:\w+\W+){0,4}?(?:nicht|nichts|nie)?\W*(?:\w+\W+){0,3}?(?:erfahren|wissen|merken|mitbekommen|bemerken)\b",
        ),
        Order(
            "frag|bitte|warte",
            "bestat|zust|erla|gene",
            r"\b(?:frag|bitte|warte|frage)\W+(?:\w+\W+){0,2}?(?:nicht|nie)\W+(?:mehr\W+|langer\W+)?(?:nach|um|auf)\W+(?:\w+\W+)?(?:bestatigung|zustimmung|erlaubnis|genehmigung)\b",
        ),
        Order(
            "an|hallo|liebe|achtung|fur",
            "llm|chat|ki|assi|bot|sprac",
            r"\b(?:an|fur|hallo|liebe[rs]?|achtung)[ ,]+(?:das\W+|den\W+|die\W+|jede\w*\W+)?(?:llm|chatbot|ki|ki-\w+|sprachmodell|bot|assistent)\b(?:,\W+(?:das|der|die)\b|,\W+\w|[ ,]+(?:fug|gib|schick|sende|mach))",
        ),
        Order(
            "fasse|ubersetz|anal",
            "sond|statt|beha|sag",
            r"\b(?:fasse|ubersetze|analysiere|beschreibe)\W+(?:diese?\w*\W+)(?:\w+\W+){0,3}?nicht\b[^\n]{0,30}?\b(?:sondern|stattdessen|behaupte|sag|sage)\b",
        ),
        Order(
            "schalt|deakt|umge|wechs",
            "sich",
            r"\b(?:schalte|deaktiviere|umgehe)\W+(?:alle\W+|die\W+|deine\W+)*sicherheits\w+",
        ),
        Order(
            "lies|zitier|fug|kopier|nenn|schreib|zeig|gib|poste",
            "syst|prom|anwe",
            r"\b(?:lies|zitiere|fuge?|kopiere|nenne?|schreibe?|zeige?|gib|poste|ubersetze)\W+(?:\w+\W+){0,4}?(?:systemanweisung\w*|systemprompt|(?:vertraulich|geheim|intern|versteckt)\w*\W+(?:prompt|anweisung\w*)|deine\w*\W+(?:\w+\W+)?(?:prompt|anweisungen))",
        ),
        Order(
            "ignor|vergiss|missach|brich",
            "rege|anwe|vorg",
            r"\b(?:ignorieren sie|ignoriere|vergiss|vergessen sie|missachte|brich)\W+(?:deine|ihre|eure)\W+(?:\w+\W+)?(?:regeln|anweisungen|vorgaben|richtlinien)\b",
        ),
        Order(
            "hand|agi|verh",
            "admin|root|syst",
            r"\b(?:handle|agiere|verhalte dich)\W+(?:\w+\W+){0,3}?als\W+(?:admin\w*|root|systemverwalter)\b",
        ),
        Order(
            "ignorier|missachte|ubergeh|vergiss",
            "nutz|benu|anwe|mens",
            r"\b(?:ignoriere?|missachte|ubergehe?|vergiss)\W+(?:alles\W*,?\W*was\W+|was\W+)?(?:\w+\W+){0,2}?(?:des\W+|der\W+|den\W+)?(?:nutzer|benutzer|anwender|menschen)s?\b",
        ),
        Order(
            "deine|ihre",
            "rich|rege|anwe|vorg",
            r"\b(?:deine|eure)\W+(?:\w+\W+)?(?:richtlinien|regeln|anweisungen|vorgaben)\W+(?:gelten|zahlen)\b[^.!?\n]{0,40}?\b(?:nicht|nie)\b",
        ),
        Order(
            "sobald|wenn|nachdem|bevor",
            "lies|gele|lese",
            r"\b(?:sobald|wenn|nachdem)\W+du\W+(?:das|dies\w*)\W+(?:\w+\W+)?(?:liest|gelesen hast)\W+(?:dann\W+)?(?:vergiss|ignoriere?|rufe?|sende|schicke?|maile|losche|fuhre|antworte|sage?)\b",
        ),
    ),
    "es": (
        Order(
            "anterior|de arriba|dijeron|directrices|indicaciones|instrucciones|ordenes|precede|previa|reglas",
            "descarta|desobedece|elude|ignora|ignore|olvida|olvide|omite",
            r"\b(?:ignora|ignore|ignorad|olvida|olvide|omite|descarta|desobedece|elude)\W+(?:por favor\W+)?(?:(?:todas?|todos?|las|los|tus|sus|cualquier|lo|de|que|te|esas|estas)\W+){0,5}(?:(?:instrucciones|reglas|ordenes|indicaciones|directrices)\b(?:\W+(?:anteriores|previas|iniciales|de arriba|del sistema))?|anterior(?:es)?|previas?|dijeron|precede|de arriba)(?<!\bsus reglas)",
        ),
        Order("omiso", "caso", r"\b(?:haz|haga)\W+caso\W+omiso\b"),
        Order(
            "instrucciones|ordenes|reglas",
            "obedezcas|sigas|tengas en cuenta",
            r"\bno\W+(?:sigas|obedezcas|tengas en cuenta)\W+(?:\w+\W+){0,3}(?:instrucciones|reglas|ordenes)\b",
        ),
        Order(
            "humano|nadie|persona|usuari",
            "avise|cuente|diga|informe|mencione|muestre|revele",
            rf"\bno\W+(?:se\W+)?(?:lo\W+|le\W+)*(?:digas?|informes?|menciones?|cuentes?|avises?|reveles?|muestres?)\b{_NEAR}\b(?:usuari[oa]s?|nadie|humano|persona)\b",
        ),
        Order(
            "humano|persona|usuari",
            "avisar|consultar|decir|informar|preguntar|que lo sepa",
            r"\bsin\W+(?:informar|avisar|preguntar|decir(?:le|selo)?|consultar|que lo sepa)\W+(?:al?|el|la)\W+(?:usuari[oa]|humano|persona)\b",
        ),
        Order(
            "adelante|desde|partir",
            "actua|debes|eres|obedec|respond|seras|te comportas",
            r"\b(?:a\W+partir\W+de\W+(?:ahora|este momento)|de\W+ahora\W+en\W+adelante|desde\W+ahora)\W+(?:tu\W+|solo\W+)?(?:eres|seras|actua\w*|respond\w*|obedec\w*|debes|te comportas)\b",
        ),
        Order(
            "ahora",
            "eres",
            r"\bahora\W+eres\W+(?:una?\W+)?(?:\w+\W+){0,2}?(?:bot|ia|asistente|modelo|agente|hacker|libre|robot)\b",
        ),
        Order(
            "censura|filtro|limite|reglas|restriccion",
            "sin",
            r"\b(?:asistente|modelo|ia)\W+sin\W+(?:ningun\w*\W+)?(?:restriccion\w*|limites?|filtros?|reglas|censura)\b",
        ),
        Order(
            "instrucciones|mensaje|prompt",
            "dime|ensena|escribe|filtra|imprime|muestra|repite|revela",
            r"\b(?:revela|muestra(?:me)?|imprime|repite|dime|ensena(?:me)?|escribe|filtra)\W+(?:\w+\W+){0,2}?(?:prompt|(?:tus|las)\W+instrucciones|mensaje\W+de\W+sistema)\b",
        ),
        Order("nueva", "instruccion|orden", r"\bnuevas?\W+(?:instruccion(?:es)?|orden(?:es)?)\b[^.!?:\n]{0,30}:"),
        Order(
            "atencion|aviso|instruccione|mensaje|nota",
            "agente|asistente|ia|lenguaje|modelos",
            r"\b(?:nota|aviso|mensaje|instrucciones?|atencion)\W+(?:para|al?)\W+(?:el\W+|la\W+|los\W+)?(?:ia|modelo\W+de\W+lenguaje|modelos\W+de|asistente\W+de\W+ia|agentes?\W+de\W+ia)\b",
        ),
        Order(
            "como|eres",
            "asistente|ia|lenguaje",
            r"\b(?:como|si\W+eres|eres)\W+(?:una?\W+)?(?:ia|modelo\W+de\W+lenguaje|inteligencia\W+artificial|asistente\W+de\W+ia)\b",
        ),
        Order(
            "comando|funcion|herramienta",
            "debes",
            r"\bdebes\W+(?:llamar|invocar|usar|ejecutar)\W+(?:\w+\W+){0,2}?(?:la\W+herramienta|la\W+funcion|el\W+comando)\b",
        ),
        Order(
            "deja|abandona|olvida|descarta|ignora",
            "dire|inst|regl|norm|prin|orde",
            r"\b(?:deja(?: de lado| a un lado)?|abandona|olvida|descarta|ignora|aparta)\W+(?:todas?\W+)?(?:tus|sus|vuestras)\W+(?:\w+\W+)?(?:directrices|instrucciones|reglas|normas|principios|ordenes)\b",
        ),
        Order(
            "susti|reemp|anula|prev",
            "inst|regl|orde|dire",
            r"\b(?:sustituye|reemplaza|anula|prevalece sobre|invalida)\W+(?:a\W+)?(?:todas?\W+)?(?:las|tus|cualquier)\W+(?:\w+\W+)?(?:instrucciones|reglas|ordenes|directrices)\b",
        ),
        Order(
            "tus|sus",
            "camb|actu|modi",
            r"\btus\W+(?:instrucciones|reglas|ordenes|directrices)\W+(?:han\W+(?:cambiado|sido)|ahora\W+son|cambiaron)\b",
        ),
        Order(
            "usua|humano|pers",
            "ente|sab|dars|note|desc",
            r"\b(?:usuari[oa]|humano)\W+no\W+(?:debe|puede|tiene que|ha de)\W+(?:enterarse|saber|darse cuenta|notar|descubrir)",
        ),
        Order(
            "pid|soli|espe",
            "conf|perm|apro",
            r"\bno\W+(?:me\W+|le\W+)?(?:pidas|solicites|esperes)\W+(?:mas\W+|ninguna\W+)?(?:confirmacion|permiso|aprobacion)\b",
        ),
        Order(
            "al|para|hola|aten",
            "mode|llm|chat|ia|asis|bot",
            r"\b(?:al|para el|hola|atencion|querido)[ ,]+(?:modelo|llm|chatbot|asistente|bot|ia|agente)(?:\W+(?:que|de ia)|,)",
        ),
        Order(
            "resum|trad|anal",
            "di|afir|en",
            r"\bno\W+(?:resumas|traduzcas|analices|describas)\W+(?:est[ea]\W+)[^\n]{0,30}?[,;:]\W*(?:di|afirma|en su lugar|sino)\b",
        ),
        Order(
            "desac|elim|apag",
            "segu|filt",
            r"\b(?:desactiva|elimina|apaga|omite)\W+(?:todos?\W+)?(?:los\W+|las\W+)?(?:\w+\W+de\W+)?(?:seguridad|filtros|controles de seguridad)\b",
        ),
        Order(
            "lee|pega|copi|escr|mues|dime|reve",
            "prom|inst",
            r"\b(?:lee(?:me)?|pega|copia|escribe|muestra(?:me)?|dime|revela|comparte|traduce)\W+(?:\w+\W+){0,2}?(?:el\W+prompt|tu\W+prompt|(?:tus|las)\W+instrucciones\W+(?:del?\W+sistema|internas|secretas|ocultas)|tus\W+instrucciones)\b",
        ),
        Order("actua|comport", "admin|root", r"\b(?:actua|comportate)\W+(?:\w+\W+){0,4}?como\W+(?:admin\w*|root)\b"),
        Order(
            "ignora|olvida|desobedece|descarta",
            "usua|human",
            r"(?:^|[.!?:;,\n]\s*)(?:ignora|olvida|desobedece|descarta)\W+(?:todo\W+)?(?:la|las|lo|los)\W+(?:\w+\W+){0,2}?(?:del?|que\W+\w+)\W+(?:el\W+|la\W+)?(?:usuari[oa]|human[oa])\b",
        ),
        Order(
            "tus",
            "regl|inst|norm|dire",
            r"\btus\W+(?:reglas|instrucciones|normas|directrices)\W+(?:ya\W+)?no\W+(?:se\W+)?(?:aplican|valen|cuentan|rigen)\b",
        ),
        Order(
            "cuando|cuanto|despues|tras",
            "lea|leas|leer|leid",
            r"\b(?:cuando|en cuanto|apenas|despues de que)\W+(?:hayas\W+leido|leas)\W+(?:esto|este\W+\w+)\W+(?:olvida|ignora|llama|envia|manda|borra|responde|ejecuta|di)\b",
        ),
    ),
    "fr": (
        Order(
            "contourne|desobeis|ignore|neglige|oublie",
            "anterieures|avant|ci-dessus|du systeme|initiales|plus haut|precede|qu'on|que",
            r"\b(?:ignore[zs]?|oublie[zs]?|neglige[zs]?|desobeis(?:sez)?|contourne[zs]?)\W+(?:s'il (?:te|vous) plait\W+)?(?:(?:toutes?|tous|tout|les|tes|vos|des|de|ces|ce)\W+){0,4}(?:(?:instructions|regles|consignes|directives|ordres)\b(?:\W+(?:precedentes|anterieures|ci-dessus|initiales|du systeme))|qui\W+(?:precede|est\W+(?:ecrit|dit)\W+(?:plus haut|ci-dessus|avant))|qu'on|que\W+(?:l'on|je|tu))",
        ),
        Order(
            "consignes|directives|instructions|regles",
            "ignore|oublie",
            r"\b(?:ignore|oublie|ignorez|oubliez)\W+(?:toutes\W+)?(?:tes|vos)\W+(?:\w+\W+)?(?:instructions|regles|consignes|directives)\b",
        ),
        Order(
            "compte",
            "ci-dessus|consignes|instructions|precede|regles",
            r"\bne\W+(?:tiens|tenez)\W+(?:pas|plus|aucun)\W*compte\W+(?:de|des|du)\W+(?:\w+\W+){0,3}?(?:regles|instructions|consignes|ci-dessus|precede\w*)\b",
        ),
        Order(
            "consignes|instructions|regles",
            "respecte|suis|suivez",
            r"\bne\W+(?:suis|suivez|respecte[zs]?)\W+(?:pas|plus)\W+(?:les|tes|vos)\W+(?:\w+\W+)?(?:instructions|regles|consignes)\b",
        ),
        Order(
            "humain|personne|utilisat",
            "dis|dites|informe|mentionne|montre|parle|prevenez|previens|revele",
            rf"\b(?:ne\W+|n')(?:le\W+|lui\W+|en\W+)?(?:dis|dites|informe[zs]?|mentionne[zs]?|parle[zs]?|revele[zs]?|previens|prevenez|montre[zs]?)\W+(?:pas|rien|jamais)\b{_NEAR}\b(?:utilisat(?:eur|rice)s?|personne|humain)\b",
        ),
        Order(
            "humain|personne|utilisat",
            "sans",
            r"\bsans\W+(?:prevenir|informer|avertir|le\W+dire\W+a|demander\W+a|consulter)\W+(?:l'|a\W+l')?\W*(?:utilisat(?:eur|rice)|humain|personne)\b",
        ),
        Order(
            "desormais|dorenavant|partir",
            "tu",
            r"\b(?:a\W+partir\W+de\W+(?:maintenant|ce\W+moment)|desormais|dorenavant),?\W+tu\W+(?:es|seras|reponds|repondras|agis|obeis|dois|parles)\b",
        ),
        Order(
            "desormais|maintenant",
            "tu|vous",
            r"\b(?:tu\W+es|vous\W+etes)\W+(?:maintenant|desormais)\W+(?:une?\W+)?(?:\w+\W+){0,2}?(?:bot|robot|ia|assistant|modele|agent|pirate|libre)\b",
        ),
        Order(
            "censure|filtre|limite|regle|restriction",
            "sans",
            r"\b(?:assistant|modele|ia)\W+sans\W+(?:aucune?\W+)?(?:restrictions?|limites?|filtres?|regles?|censure)\b",
        ),
        Order(
            "invite|prompt",
            "affiche|divulgue|donne|ecris|imprime|montre|repete|revele",
            r"\b(?:revele[zs]?|montre[zs]?|affiche[zs]?|imprime[zs]?|repete[zs]?|donne[zs]?|ecris|divulgue[zs]?)(?:-moi)?\W+(?:\w+\W+){0,2}?(?:prompt|invite)\b",
        ),
        Order(
            "consignes|instructions|regles",
            "affiche|divulgue|montre|repete|revele",
            r"\b(?:revele[zs]?|montre[zs]?|affiche[zs]?|repete[zs]?|divulgue[zs]?)(?:-moi)?\W+(?:tes|vos)\W+(?:\w+\W+)?(?:instructions|consignes|regles)\b",
        ),
        Order(
            "nouvelle",
            "consigne|instruction|ordre",
            r"\bnouvelles?\W+(?:instructions?|consignes?|ordres?)\b[^.!?:\n]{0,30}:",
        ),
        Order(
            "attention|avis|instruction|message|note",
            "agent|assistant|ia|langage",
            r"\b(?:note|message|instructions?|attention|avis)\W+(?:au|aux|a|pour)\W+(?:l'|le\W+|la\W+|les\W+)?(?:ia\b|modeles?\W+de\W+langage|assistants?\W+ia|agents?\W+ia)",
        ),
        Order(
            "assistant|ia|intelligence|langage",
            "si|tant|tu",
            r"\b(?:en\W+tant\W+qu[e']\W*|si\W+tu\W+es\W+|tu\W+es\W+)(?:une?\W+)?(?:ia|assistant\W+ia|modele\W+de\W+langage|intelligence\W+artificielle)\b",
        ),
        Order(
            "appeler|executer|invoquer|utiliser",
            "'outil|commande|fonction",
            r"\btu\W+dois\W+(?:maintenant\W+|immediatement\W+)?(?:appeler|invoquer|utiliser|executer)\W+(?:l'outil|la\W+fonction|la\W+commande)\b",
        ),
        Order(
            "lais|aban|oubl|jett|igno|ecar",
            "dire|inst|regl|cons|prin",
            r"\b(?:laisse[zs]? tomber|abandonne[zs]?|oublie[zs]?|ignore[zs]?|ecarte[zs]?|jette)\W+(?:toutes\W+)?(?:tes|vos)\W+(?:\w+\W+)?(?:directives|instructions|regles|consignes|principes)\b",
        ),
        Order(
            "remp|annu|prev|prim",
            "inst|regl|cons|dire",
            r"\b(?:remplace|annule|prevaut sur|prime sur|supplante)\W+(?:toutes\W+)?(?:les|tes|vos)\W+(?:\w+\W+)?(?:instructions|regles|consignes|directives)\b",
        ),
        Order(
            "tes|vos",
            "chan|modi|mise",
            r"\b(?:tes|vos)\W+(?:instructions|regles|consignes|directives)\W+(?:ont\W+(?:change|ete)|sont\W+desormais)\b",
        ),
        Order(
            "util|humain",
            "savo|appr|rema|deco",
            r"\b(?:utilisat(?:eur|rice)|humain)\W+ne\W+(?:doit|peut|devra)\W+(?:pas|jamais|rien)\W+(?:le\W+)?(?:savoir|apprendre|remarquer|decouvrir|etre)\b",
        ),
        Order(
            "dema|solli|atte",
            "conf|auto|appr",
            r"\bne\W+(?:me\W+|lui\W+)?(?:demande|sollicite|attends)[zs]?\W+(?:plus|pas|jamais)\W+(?:\w+\W+)?(?:confirmation|autorisation|approbation|permission)\b",
        ),
        Order(
            "au|aux|salut|bonj|pour|cher|a",
            "llm|chat|mode|ia|assi|bot",
            r"\b(?:au|aux|salut|bonjour|pour le|cher)[ ,]+(?:llm|chatbot|modele|assistant|bot|ia|agent)(?:s?\W+(?:qui|ia|de langage)|,)",
        ),
        Order(
            "resum|trad|anal",
            "dis|plut|affi",
            r"\bne\W+(?:resume|traduis|analyse|decris)[zs]?\W+pas\W+[^\n]{0,30}?[,;:]\W*(?:dis|plutot|affirme|mais)\b",
        ),
        Order(
            "desa|supp|cont",
            "secu|filt",
            r"\b(?:desactive|supprime|contourne|coupe)[zs]?\W+(?:tous\W+)?(?:les\W+|tes\W+)?(?:\w+\W+de\W+)?(?:securite|filtres|controles)\b",
        ),
        Order(
            "lis|coll|copi|ecri|mont|donn|affi|tradu",
            "prom|inst|cons",
            r"\b(?:lis|colle|copie|ecris|montre|donne|affiche|traduis|partage)(?:-moi)?\W+(?:\w+\W+){0,2}?(?:(?:le|ton)\W+prompt|(?:tes|les)\W+(?:instructions|consignes)\W+(?:systeme|internes|secretes|cachees)|tes\W+(?:instructions|consignes))\b",
        ),
        Order(
            "agis|comp",
            "admin|root",
            r"\b(?:agis|comporte-toi)\W+(?:\w+\W+){0,4}?(?:comme|en tant qu)\W+(?:un\W+)?(?:admin\w*|root)\b",
        ),
        Order(
            "ignore|oublie|desobeis|neglige",
            "util|huma",
            r"(?:^|[.!?:;,\n]\s*)(?:ignore[zs]?|oublie[zs]?|neglige[zs]?|desobeis) (?:a )?(?:tout )?(?:(?:la|les|le|ce) )?(?:\w+ ){0,2}?(?:de |que \w+ )?l'(?:utilisat(?:eur|rice)|humain)\b",
        ),
        Order(
            "tes|vos",
            "regl|inst|cons|dire",
            r"\b(?:tes|vos)\W+(?:regles|instructions|consignes|directives)\W+ne\W+(?:s'appliquent|valent|comptent)\W+(?:pas|plus)\b",
        ),
        Order(
            "des|quand|lorsque|apres",
            "lu|lis|lire",
            r"\b(?:des que|quand|lorsque|une fois que)\W+tu\W+(?:as\W+lu|lis|auras\W+lu)\W+(?:ceci|cela|ce\W+\w+)\W+(?:oublie|ignore|appelle|envoie|efface|supprime|reponds|execute|dis)\b",
        ),
    ),
    "it": (
        Order(
            "aggira|dimentica|disobbedisci|ignora|trascura",
            "che|direttive|indicazioni|istruzioni|ordini|precedent|regole|sopra",
            r"\b(?:ignora(?:te)?|dimentica(?:te)?|trascura(?:te)?|disobbedisci|aggira)\W+(?:per favore\W+)?(?:(?:tutte|tutti|tutto|le|gli|i|tue|vostre|cio|quello|quanto|ogni)\W+){0,4}(?:(?:istruzioni|regole|indicazioni|direttive|ordini)\b(?:\W+(?:precedenti|di\W+sopra|iniziali|del\W+sistema))?|che\W+(?:precede|ti|sta\W+(?:sopra|scritto)|e\W+stato)|precedent[ei]|sopra)(?<!le regole)",
        ),
        Order(
            "indicazioni|istruzioni|precede|regole",
            "conto",
            r"\bnon\W+(?:tenere|tenete|tener)\W+(?:piu\W+)?conto\W+(?:di|delle|dei|del)\W+(?:\w+\W+){0,3}?(?:regole|istruzioni|precede\w*|indicazioni)\b",
        ),
        Order(
            "rispettare|seguire|seguite",
            "istruzioni|regole",
            r"\bnon\W+(?:seguire|seguite|rispettare)\W+(?:piu\W+)?(?:le|tue)\W+(?:\w+\W+){0,2}?(?:istruzioni|regole)\b",
        ),
        Order(
            "nessuno|persona|umano|utent",
            "avvisare|dire|dirlo|informare|menzionare|mostrare|raccontare|rivelare|sapere",
            rf"\bnon\W+(?:lo\W+)?(?:dire|dirlo|informare|menzionare|rivelare|avvisare|raccontare|mostrare|far\W+sapere)\b{_NEAR}\b(?:utent[ei]|nessuno|persona|umano)\b",
        ),
        Order(
            "senza",
            "avvertire|avvisare|chiedere|consultare|dirlo|informare",
            r"\bsenza\W+(?:avvisare|informare|dirlo\W+a|chiedere\W+a|avvertire|consultare)\W*l?l?'?\W*(?:utente|persona|umano)\b",
        ),
        Order(
            "adesso|momento|ora",
            "agisc|comport|devi|obbedisc|rispond|sarai|sei",
            r"\b(?:d'ora\W+in\W+(?:poi|avanti)|da\W+(?:questo\W+momento|adesso|ora)(?:\W+in\W+poi)?),?\W+(?:tu\W+)?(?:sei|sarai|rispond\w*|agisc\w*|obbedisc\w*|devi|comport\w*)\b",
        ),
        Order(
            "sei",
            "adesso|ora",
            r"\b(?:ora|adesso)\W+sei\W+(?:una?\W+|un')?(?:\w+\W+){0,2}?(?:bot|ia|assistente|modello|agente|hacker|libero|robot)\b",
        ),
        Order(
            "senza",
            "censura|filtr|limit|regole|restrizion",
            r"\b(?:assistente|modello|ia)\W+senza\W+(?:alcun\w*\W+)?(?:restrizion\w*|limit[ei]|filtr[io]|regole|censura)\b",
        ),
        Order(
            "istruzioni|prompt",
            "dimmi|divulga|mostra|ripeti|rivela|scrivi|stampa",
            r"\b(?:rivela|mostra(?:mi)?|stampa|ripeti|dimmi|scrivi|divulga)\W+(?:\w+\W+){0,3}?(?:prompt|le\W+tue\W+(?:\w+\W+)?istruzioni)\b",
        ),
        Order(
            "direttiv|istruzion|ordin",
            "nuov",
            r"\bnuov[ae]\W+(?:istruzion[ei]|ordin[ei]|direttiv[ae])\b[^.!?:\n]{0,30}:",
        ),
        Order(
            "attenzione|avviso|istruzion|messaggio|nota",
            "agenti|assistent|ia|linguistic",
            r"\b(?:nota|messaggio|istruzioni?|attenzione|avviso)\W+(?:per|al|a|alla|all)\W+(?:il\W+|la\W+|l'|gli\W+)?(?:ia\b|modell[oi]\W+linguistic[oi]|assistent[ei]\W+(?:di\W+)?ia|agenti\W+ia)",
        ),
        Order(
            "come|quanto|sei",
            "assistente|ia|intelligenza|modello",
            r"\b(?:in\W+quanto|come|se\W+sei)\W+(?:una?\W*|un')?(?:ia\b|assistente\W+(?:di\W+)?ia\b|modello\W+linguistico|intelligenza\W+artificiale)",
        ),
        Order(
            "comando|funzione|strumento",
            "chiamare|eseguire|invocare|usare",
            r"\bdevi\W+(?:subito\W+|ora\W+|adesso\W+)?(?:chiamare|invocare|usare|eseguire)\W+(?:subito\W+|ora\W+)?(?:lo\W+strumento|la\W+funzione|il\W+comando)\b",
        ),
        Order(
            "lasc|abba|dime|igno|scar|metti",
            "dire|istr|rego|prin|ordi",
            r"\b(?:lascia(?: perdere| stare)?|abbandona|dimentica|ignora|scarta|metti da parte)\W+(?:tutte\W+)?(?:le|i)\W+(?:tue|tuoi|vostre)\W+(?:\w+\W+)?(?:direttive|istruzioni|regole|principi|ordini)\b",
        ),
        Order(
            "sost|annu|prev|rimp",
            "istr|rego|dire|ordi",
            r"\b(?:sostituisce|annulla|prevale su|rimpiazza)\W+(?:tutte\W+)?(?:le|ogni)\W+(?:\w+\W+)?(?:istruzioni|regole|direttive)\b",
        ),
        Order(
            "tue",
            "camb|modi|aggi",
            r"\ble\W+tue\W+(?:istruzioni|regole|direttive)\W+(?:sono\W+(?:cambiate|state|ora)|cambiano)\b",
        ),
        Order(
            "uten|uman",
            "sap|accor|scop|veni",
            r"\b(?:utente|umano)\W+non\W+(?:deve|puo|dovra)\W+(?:mai\W+)?(?:sapere|sapere|accorgersi|scoprire|venire)\b",
        ),
        Order(
            "chied|aspet",
            "conf|perm|appr|auto",
            r"\bnon\W+(?:mi\W+)?(?:chiedere|aspettare)\W+(?:piu\W+|mai\W+)?(?:conferm\w+|permess\w+|approvazion\w+|autorizzazion\w+)\b",
        ),
        Order(
            "all|al|ciao|per|caro",
            "llm|chat|mode|ia|assi|bot",
            r"\b(?:all|al|ciao|per il|caro)['’ ,]+(?:llm|chatbot|modello|assistente|bot|ia|agente)(?:\W+(?:che|ia|linguistico)|,)",
        ),
        Order(
            "riass|trad|anal",
            "di|affe|inve",
            r"\bnon\W+(?:riassumere|tradurre|analizzare|descrivere)\W+[^\n]{0,30}?[,;:]\W*(?:di|afferma|invece|ma)\b",
        ),
        Order(
            "disa|elim|aggi|speg",
            "sicu|filt",
            r"\b(?:disattiva|elimina|aggira|spegni)\W+(?:tutti\W+)?(?:i\W+|le\W+|gli\W+)?(?:\w+\W+di\W+)?(?:sicurezza|filtri|controlli)\b",
        ),
        Order(
            "legg|inco|copi|scri|most|dimm|tradu",
            "prom|istr",
            r"\b(?:leggi(?:mi)?|incolla|copia|scrivi(?:mi)?|mostra(?:mi)?|dimmi|traduci|condividi)\W+(?:\w+\W+){0,2}?(?:(?:il|tuo)\W+prompt|le\W+(?:tue\W+)?istruzioni\W+(?:di\W+sistema|interne|segrete|nascoste)|le\W+tue\W+istruzioni)\b",
        ),
        Order(
            "agis|comp",
            "ammi|root|admin",
            r"\b(?:agisci|comportati)\W+(?:\w+\W+){0,4}?come\W+(?:amministrator\w+|root|admin)\b",
        ),
        Order(
            "ignora|dimentica|trascura|disobbedisci",
            "uten|uman",
            r"(?:^|[.!?:;,\n]\s*)(?:ignora|dimentica|trascura|disobbedisci)\W+(?:tutto\W+)?(?:la|le|il|lo|i|cio|quello|a)\W*(?:\w+\W+){0,2}?(?:dell?'|che\W+\w+\W+l'|l'|all')\W*(?:utente|umano)\b",
        ),
        Order(
            "tue",
            "rego|istr|dire",
            r"\ble\W+tue\W+(?:regole|istruzioni|direttive)\W+non\W+(?:valgono|contano|si\W+applicano)\b",
        ),
        Order(
            "appena|quando|dopo",
            "lett|legg",
            r"\b(?:appena|quando|dopo\W+che)\W+(?:hai\W+letto|leggi|avrai\W+letto)\W+(?:questo|questa|cio)(?:\W+\w+)?\W+(?:dimentica|ignora|chiama|invia|manda|cancella|rispondi|esegui|di')",
        ),
    ),
    "pt": (
        Order(
            "contorne|descarte|desconsidere|desobedeca|esqueca|esquece|ignora|ignore",
            "acima|anterior|antes|diretrizes|disseram|dito|instrucoes|ordens|orientacoes|regras",
            r"\b(?:ignore|ignora|esqueca|esquece|desconsidere|desobedeca|descarte|contorne)\W+(?:por favor\W+)?(?:(?:todas?|todos?|tudo|as|os|suas|seus|tuas|quaisquer|o|a|que)\W+){0,4}(?:(?:instrucoes|regras|ordens|orientacoes|diretrizes)\b(?:\W+(?:anteriores|previas|acima|iniciais|do\W+sistema))?|anterior(?:es)?|acima|foi\W+dito|lhe\W+disseram|te\W+disseram|veio\W+antes)",
        ),
        Order(
            "instrucoes|ordens|regras",
            "conta|obedeca|siga",
            r"\bnao\W+(?:siga|obedeca|leve\W+em\W+conta)\W+(?:mais\W+)?(?:\w+\W+){0,3}?(?:instrucoes|regras|ordens)\b",
        ),
        Order(
            "humano|ninguem|pessoa|usuari|utilizador",
            "avise|conte|diga|fale|informe|mencione|mostre|revele",
            rf"\bnao\W+(?:conte|diga|informe|mencione|revele|avise|mostre|fale)\b{_NEAR}\b(?:usuari[oa]s?|utilizador\w*|ninguem|pessoa|humano)\b",
        ),
        Order(
            "humano|pessoa|usuari|utilizador",
            "avisar|consultar|contar|dizer|informar|perguntar",
            r"\bsem\W+(?:avisar|informar|perguntar|contar|dizer|consultar)\W+(?:ao?\W+|o\W+|a\W+)?(?:usuari[oa]|utilizador\w*|pessoa|humano)\b",
        ),
        Order(
            "diante|doravante|partir",
            "",
            r"\b(?:a\W+partir\W+de\W+agora|de\W+agora\W+em\W+diante|doravante),?\W+(?:voce\W+|tu\W+)?(?:e\b|es\b|sera|responda|responde\w*|aja|obedeca|deve)",
        ),
        Order(
            "agora",
            "agente|assistente|bot|chatbot|hacker|ia|livre|modelo|robo",
            r"\b(?:agora\W+voce\W+e|voce\W+agora\W+e|voce\W+e\W+agora)\W+(?:uma?\W+)?(?:\w+\W+){0,2}?(?:bot|robo|ia|assistente|modelo|agente|hacker|livre)\b",
        ),
        Order(
            "censura|filtro|limite|regras|restric",
            "sem",
            r"\b(?:assistente|modelo|ia)\W+sem\W+(?:nenhuma?\W+|quaisquer\W+)?(?:restric\w*|limites?|filtros?|regras|censura)\b",
        ),
        Order(
            "instrucoes|prompt",
            "diga|divulgue|escreva|exiba|imprima|mostre|repita|revele",
            r"\b(?:revele|mostre|exiba|imprima|repita|diga|escreva|divulgue)(?:-me)?\W+(?:\w+\W+){0,3}?(?:prompt|(?:suas|tuas)\W+(?:\w+\W+)?instrucoes)\b",
        ),
        Order(
            "diretrizes|instruc|ordens",
            "nov",
            r"\bnov[ao]s?\W+(?:instruc(?:oes|ao)|ordens|diretrizes)\b[^.!?:\n]{0,30}:",
        ),
        Order(
            "atencao|aviso|instrucao|instrucoes|mensagem|nota",
            "agentes|assistente|ia|linguagem",
            r"\b(?:nota|mensagem|instrucoes|instrucao|atencao|aviso)\W+(?:para|ao?)\W+(?:o\W+|a\W+|os\W+)?(?:ia\b|modelos?\W+de\W+linguagem|assistentes?\W+de\W+ia|agentes\W+de\W+ia)",
        ),
        Order(
            "como|sendo|voce",
            "assistente|ia|linguagem",
            r"\b(?:como|se\W+voce\W+e|sendo)\W+(?:uma?\W+)?(?:ia\b|assistente\W+de\W+ia\b|modelo\W+de\W+linguagem|inteligencia\W+artificial)",
        ),
        Order(
            "comando|ferramenta|funcao",
            "voce",
            r"\bvoce\W+deve\W+(?:agora\W+|imediatamente\W+)?(?:chamar|invocar|usar|executar)\W+(?:agora\W+)?(?:a\W+ferramenta|a\W+funcao|o\W+comando)\b",
        ),
        Order(
            "deix|aban|esqu|igno|desc",
            "dire|inst|regr|norm|prin|orde",
            r"\b(?:deixe(?: de lado)?|abandone|esqueca|ignore|descarte)\W+(?:todas\W+)?(?:as|os)\W+(?:suas|seus|tuas)\W+(?:\w+\W+)?(?:diretrizes|instrucoes|regras|normas|principios|ordens)\b",
        ),
        Order(
            "subs|anul|prev",
            "inst|regr|dire|orde",
            r"\b(?:substitui|anula|prevalece sobre)\W+(?:todas\W+)?(?:as|suas)\W+(?:\w+\W+)?(?:instrucoes|regras|diretrizes|ordens)\b",
        ),
        Order(
            "suas|tuas",
            "muda|atua|fora",
            r"\b(?:suas|tuas)\W+(?:instrucoes|regras|diretrizes)\W+(?:mudaram|foram\W+(?:alteradas|atualizadas|substituidas)|agora\W+sao)\b",
        ),
        Order(
            "usua|util|huma",
            "sabe|perc|desc|nota",
            r"\b(?:usuari[oa]|utilizador|humano)\W+nao\W+(?:pode|deve|precisa)\W+(?:saber|perceber|descobrir|notar)\b",
        ),
        Order(
            "peca|soli|espe",
            "conf|perm|apro|auto",
            r"\bnao\W+(?:me\W+)?(?:peca|solicite|espere)\W+(?:mais\W+)?(?:confirmacao|permissao|aprovacao|autorizacao)\b",
        ),
        Order(
            "ao|ola|para|caro",
            "llm|chat|mode|ia|assi|bot",
            r"\b(?:ao|ola|para o|caro)[ ,]+(?:llm|chatbot|modelo|assistente|bot|ia|agente)(?:\W+(?:que|de ia|de linguagem)|,)",
        ),
        Order(
            "resu|trad|anal",
            "diga|afir|em",
            r"\bnao\W+(?:resuma|traduza|analise|descreva)\W+[^\n]{0,30}?[,;:]\W*(?:diga|afirme|em vez|mas)\b",
        ),
        Order(
            "desa|elim|cont",
            "segu|filt",
            r"\b(?:desative|elimine|contorne|desligue)\W+(?:todas?\W+|todos?\W+)?(?:as\W+|os\W+)?(?:\w+\W+de\W+)?(?:seguranca|filtros|controles)\b",
        ),
        Order(
            "leia|cole|copi|escr|most|diga|tradu",
            "prom|inst",
            r"\b(?:leia|cole|copie|escreva|mostre|diga|traduza|compartilhe)(?:-me)?\W+(?:\w+\W+){0,3}?(?:(?:o|seu)\W+prompt|as\W+(?:suas\W+)?instrucoes\W+(?:d[eo]\W+sistema|internas|secretas|ocultas)|as\W+suas\W+instrucoes)\b",
        ),
        Order("aja|comp", "admin|root", r"\b(?:aja|comporte-se)\W+(?:\w+\W+){0,4}?como\W+(?:admin\w*|root)\b"),
    ),
    "nl": (
        Order(
            "negeer|vergeet",
            "instructies|opdrachten|regels",
            r"\b(?:negeer|vergeet)\W+(?:alle\W+|de\W+|je\W+|al\W+)*(?:vorige|eerdere|bovenstaande|voorgaande)\W+(?:instructies|regels|opdrachten)\b",
        ),
        Order(
            "gebruiker",
            "niet",
            rf"\b(?:vertel|zeg|meld)\W+(?:het\W+)?(?:aan\W+)?de\W+gebruiker\b{_NEAR}\b(?:niets|niet)\b",
        ),
        Order("systeemprompt", "geef|onthul|toon", r"\b(?:toon|onthul|geef)\W+(?:\w+\W+){0,2}?systeemprompt\b"),
    ),
    "tr": (
        Order(
            "onceki|yukaridaki",
            "komut|kural|talimat",
            rf"\b(?:onceki|yukaridaki)\b{_NEAR}\b(?:talimat|komut|kural)\w*{_NEAR}\b(?:yok say|unut|gormezden gel|dikkate alma)",
        ),
        Order(
            "kullaniciya", "bahsetme|bildirme|soyleme", r"\bkullaniciya\W+(?:\w+\W+){0,2}?(?:soyleme|bildirme|bahsetme)"
        ),
        Order("istemini|promptunu", "sistem", r"\bsistem\W+(?:istemini|promptunu)\W+(?:goster|yaz|acikla)"),
    ),
    "pl": (
        Order(
            "poprzednich|poprzednie|powyzsze|wczesniejsze",
            "ignoruj|zignoruj|pomin|zapomnij",
            r"\b(?:zignoruj|ignoruj|zapomnij|pomin)\W+(?:o\W+)?(?:wszystkie\W+|wszystkich\W+|swoje\W+)*(?:poprzednie|powyzsze|wczesniejsze|poprzednich)\W+(?:instrukcj\w*|polecen\w*|zasad\w*|regul\w*)",
        ),
        Order("uzytkownik", "nie", rf"\bnie\W+(?:mow|informuj|wspominaj|powiedz)\b{_NEAR}\buzytkownik\w*"),
    ),
}

IN_OWN_SCRIPT: Final[Mapping[str, tuple[Order, ...]]] = {
    "ru": (
        Order(
            "выполняй|забудь|игнорируй|обращай|отбрось|следуй|учитывай",
            "выше|говорили|инструкц|команд|правил|предыдущ|прежн|раньше|сказан|указан",
            r"(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|отбрось(?:те)?|не (?:обращай(?:те)? внимания на|следуй(?:те)?|выполняй(?:те)?|учитывай(?:те)?))\s[^.!?\n]{0,40}?(?:инструкц|правил|указан|команд|выше|предыдущ|прежн|раньше|говорили|сказан)",
        ),
        Order(
            "пользовател",
            "говори|показывай|раскрывай|рассказывай|сообщай|упоминай",
            r"не (?:говори(?:те)?|сообщай(?:те)?|рассказывай(?:те)?|упоминай(?:те)?|показывай(?:те)?|раскрывай(?:те)?)\b[^.!?\n]{0,40}?пользовател",
        ),
        Order(
            "пользовател",
            "без ведома|не говоря|не предупреждая|не сообщая|не спрашивая",
            r"(?:не сообщая|не спрашивая|не говоря|без ведома|не предупреждая)[^.!?\n]{0,20}?пользовател",
        ),
        Order(
            "впредь|отныне|с этого момента|теперь",
            "агент|ассистент|бот|ии|модель|хакер",
            r"(?:с этого момента|отныне|теперь|впредь),? (?:ты|вы) (?:\w+ ){0,3}?(?:бот|ии|ассистент|модель|агент|хакер|робот)",
        ),
        Order(
            "впредь|отныне|с этого момента",
            "говори|действуй|должен|обязан|отвечаешь|отвечай|подчиняй",
            r"(?:с этого момента|отныне|впредь),? (?:ты |вы |только )*(?:отвечай|отвечаешь|говори|действуй|подчиняй|должен|обязан)",
        ),
        Order(
            "ограничений|правил|фильтров|цензуры",
            " без ",
            r"(?:ассистент|модель|помощник|ии) без (?:\w+ )?(?:ограничений|правил|фильтров|цензуры)",
        ),
        Order(
            "инструкц|правила|системн|указания",
            "выведи|выдай|назови|напечатай|повтори|покажи|раскрой",
            r"(?:покажи|выведи|раскрой|напечатай|повтори|назови|выдай)(?:те)?\s[^.!?\n]{0,30}?(?:системн\w+ (?:промпт|инструкц|подсказк|сообщен)|(?:свои|твои|секретн|скрыт)\w* (?:\w+ )?(?:инструкц|правила|указания))",
        ),
        Order(
            "инструкци|команд|указани",
            "нов",
            r"нов(?:ые|ая) (?:\w+ )?(?:инструкци[ия]|указани[ея]|команды?)[^.!?:\n]{0,30}:",
        ),
        Order(
            "внимание|инструкция|обращение|примечание|сообщение",
            "ии|искусственн|языков",
            r"(?:примечание|сообщение|инструкция|внимание|обращение)[^.!?:\n]{0,10}(?:для|к)?\s?(?:языков\w+ модел|ии\b|ии-|искусственн\w+ интеллект)",
        ),
        Order(
            "если вы|если ты|как",
            "ии|искусственный интеллект|языковая модель",
            r"(?:как|если ты|если вы)\s?[-—]? ?(?:ии\b|ии-|языковая модель|искусственный интеллект)",
        ),
        Order(
            "вызвать|выполнить|запустить|использовать",
            "инструмент|команд|функци",
            r"(?:ты|вы) (?:должен|должны|обязан|обязаны) (?:сейчас |немедленно )?(?:вызвать|выполнить|использовать|запустить) (?:инструмент|функци|команд)",
        ),
        Order(
            "отбрось|забудь|оставь|откажись|нарушь|игнорируй",
            "установк|правил|инструкц|указани|принцип",
            r"(?:отбрось|забудь|оставь|откажись|нарушь|игнорируй)(?:те)?\s[^.!?\n]{0,20}?(?:установк|правил|инструкц|указани|принцип)",
        ),
        Order(
            "заменя|отменя",
            "инструкц|правил|указани",
            r"(?:заменяет|отменяет)\s[^.!?\n]{0,20}?(?:инструкц|правил|указани)",
        ),
        Order(
            "измен|обновл",
            "инструкц|правил|указани",
            r"(?:твои|ваши|свои)\s(?:\w+ )?(?:инструкции|правила|указания)\s(?:изменились|изменены|обновлены|были)",
        ),
        Order(
            "пользовател",
            "не",
            r"пользователь не (?:должен|может|обязан)\s?(?:об этом )?(?:узнать|знать|заметить|понять)",
        ),
        Order(
            "подтвержд|разрешен",
            "не",
            r"не (?:спрашивай|проси|жди|запрашивай)(?:те)?\s[^.!?\n]{0,15}?(?:подтвержден|разрешен)",
        ),
        Order(
            "llm|чат-бот|бот|ии|модел|ассистент",
            "для|привет|уважаем",
            r"(?:для|привет,?|уважаем\w+)\s(?:llm|чат-бот|бот|ии|модел\w+|ассистент)\w*[,\s]",
        ),
        Order(
            "не ",
            "скажи|напиши|ответь",
            r"не (?:пересказывай|переводи|анализируй|описывай)(?:те)?\s[^.!?\n]{0,30}?,\s?(?:а|но)\s(?:\w+ )?(?:скажи|напиши|ответь)",
        ),
        Order(
            "отключи|обойди",
            "безопасност|фильтр|защит",
            r"(?:отключи|обойди|выключи)(?:те)?\s[^.!?\n]{0,20}?(?:безопасност|фильтр|защит)",
        ),
        Order(
            "прочитай|вставь|скопируй|напиши|переведи|перескажи",
            "промпт|инструкц",
            r"(?:прочитай|вставь|скопируй|напиши|переведи|перескажи|процитируй)(?:те)?\s[^.!?\n]{0,25}?(?:(?:секретн|системн|скрыт|конфиденциальн)\w*\s(?:промпт|инструкц)|(?:свои|твои)\s(?:\w+ )?инструкц)",
        ),
        Order(
            "администратор|root",
            "действуй|веди",
            r"(?:действуй|веди себя)(?:те)?\s[^.!?\n]{0,25}?как (?:администратор|root)",
        ),
    ),
    "zh": (
        Order(
            "不要理会|不要遵守|不要遵循|取消|忘掉|忘記|忘记|忽略|抛弃|无视|無視|绕过",
            "一切|上面的|以上|全部内容|命令|所有内容|指令|指示|提示词|要求|規則|规则|设定|说明|限制",
            r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|不要遵循|抛弃|绕过|取消)[^。！？\n]{0,12}?(?:指令|指示|规则|規則|提示词|命令|说明|要求|设定|限制|所有内容|全部内容|一切|以上|上面的(?:话|内容|所有))",
        ),
        Order(
            "人类|任何人|使用者|用户",
            "",
            r"(?:不要|别|不得|切勿|请勿)(?:告诉|告知|通知|让|向|对|提醒)[^。！？\n]{0,6}?(?:用户|使用者|人类|任何人)",
        ),
        Order("不知情|不知道", "使用者|用户", r"(?:在|让)?(?:用户|使用者)(?:不知情|毫不知情|不知道)"),
        Order("任何|使用者|用户", "不必|不要|无需", r"(?:不要|无需|不必)(?:询问|征求|经过)(?:用户|使用者|任何)"),
        Order("从此|从现在|自此", "", r"(?:从现在(?:起|开始)|从此(?:刻|以后)?|自此)[^。！？\n]{0,6}?(?:你|只|必须|请)"),
        Order("你现在", "", r"你现在(?:是|扮演|必须|要)"),
        Order(
            "约束|过滤|限制",
            "ai|人工智能|助手|机器人|模型",
            r"(?:没有|无|不受)(?:任何)?(?:限制|约束|过滤)的(?:助手|模型|人工智能|ai|机器人)",
        ),
        Order(
            "你的指令|内部指令|提示词|秘密指令|系统提示|系统消息|隐藏指令",
            "公开|告诉我|复述|打印|显示|泄露|说出|输出|透露",
            r"(?:显示|输出|泄露|透露|打印|说出|告诉我|复述|公开)[^。！？\n]{0,10}?(?:系统提示|提示词|秘密指令|隐藏指令|内部指令|你的指令|系统消息)",
        ),
        Order("任务|命令|指令|指示", "", r"新(?:的)?(?:指令|指示|命令|任务)[^。！？：:\n]{0,10}[：:]"),
        Order(
            "ai|人工智能|助手|大模型|语言模型",
            "指令|指示|注意|说明",
            r"(?:给|致|对)(?:人工智能|ai|语言模型|大模型|助手)[^。！？\n]{0,10}?(?:指令|指示|说明|注意)",
        ),
        Order("ai|人工智能|大模型|语言模型", "", r"(?:人工智能|ai助手|ai|语言模型|大模型)请(?:注意|执行|听)"),
        Order(
            "ai|人工智能|大模型|语言模型",
            "作为|如果你是|身为",
            r"(?:作为|如果你是|身为)[^。！？\n]{0,12}?(?:ai|人工智能|语言模型|大模型)",
        ),
        Order("应该|必须|需要", "使用|执行|调用", r"你(?:必须|应该|需要|现在必须)[^。！？\n]{0,6}?(?:调用|执行|使用)"),
        Order(
            "抛开|放弃|丢掉|抛弃|违反|不顾|忽略|忘记",
            "准则|规则|原则|指令|指示|方针",
            r"(?:抛开|放弃|丢掉|抛弃|违反|不顾|忽略|忘记)[^。！？\n]{0,8}?(?:准则|规则|原则|指令|指示|方针)",
        ),
        Order(
            "取代|优先于|覆盖|替代", "指令|指示|规则", r"(?:取代|优先于|覆盖|替代)[^。！？\n]{0,12}?(?:指令|指示|规则)"
        ),
        Order(
            "更改|改变|更新|变更",
            "指令|指示|规则",
            r"你的(?:指令|指示|规则)(?:已经?|现已)?(?:被)?(?:更改|改变|更新|变更)",
        ),
        Order(
            "发现|知道|察觉|得知",
            "用户|使用者",
            r"(?:不能|不得|绝不能|不要|别)让(?:用户|使用者)(?:发现|知道|察觉|得知)",
        ),
        Order(
            "确认|许可|批准",
            "不要|无需|别",
            r"(?:不要|无需|别)(?:再|继续)?(?:要求|请求|询问|等待)(?:用户)?(?:的)?(?:确认|许可|批准)",
        ),
        Order(
            "大模型|模型|机器人|助手|ai",
            "处理|你好|阅读",
            r"(?:处理|阅读|查看)(?:此|本|这)[^。！？\n]{0,6}?的(?:大模型|模型|机器人|助手|ai)|你好[，,]?(?:聊天)?(?:机器人|助手|ai)",
        ),
        Order(
            "总结|翻译|分析",
            "说|回答",
            r"不要(?:总结|翻译|分析|描述)[^。！？\n]{0,10}?[，,](?:而要|而是|请|只)?(?:说|回答)",
        ),
        Order("关闭|禁用|绕过|停用", "安全|过滤|审查", r"(?:关闭|禁用|绕过|停用)[^。！？\n]{0,4}?(?:安全|过滤|审查)"),
        Order(
            "提示词|系统指令|系统提示|机密指令",
            "粘贴|念|读|复制|写出|翻译|告诉",
            r"(?:粘贴|念|读|复制|写出|翻译|告诉)[^。！？\n]{0,10}?(?:提示词|系统指令|系统提示|机密指令)|(?:提示词|系统指令|系统提示|机密指令)[^。！？\n]{0,6}?(?:粘贴|念|读|复制|写出|翻译)",
        ),
        Order("管理员|root", "身份|作为", r"以(?:管理员|root)(?:的)?身份(?:行动|执行|操作)"),
    ),
    "ja": (
        Order(
            "取り消|従わ|忘れ|無視|破棄",
            "これまで|プロンプト|ルール|上記|以前|内容|制約|前述|命令|指示|規則",
            r"(?:指示|命令|ルール|規則|プロンプト|内容|制約|上記|以前|これまで|前述)[^。！？\n]{0,14}?(?:無視|忘れ|破棄|従わ(?:ず|ない)|取り消)",
        ),
        Order("忘れて|無視して", "ルール|命令|指示", r"(?:無視して|忘れて)[^。！？\n]{0,10}?(?:指示|命令|ルール)"),
        Order(
            "伝え|内緒|教え|気づかれ|知らせ|知られ|秘密|言わ|話さ",
            "",
            r"(?:ユーザー?|利用者|使用者|人間|誰)(?:に|へ)(?:は|も)?[^。！？\n]{0,14}?(?:言わ|伝え(?:ない|ず)|知らせ(?:ない|ず)|話さ|教え(?:ない|ず)|内緒|秘密|知られ|気づかれ)",
        ),
        Order(
            "ここから|これから|今から|今後|以後|現在から",
            "",
            r"(?:今から|これから|ここから|以後|今後|現在から)(?:は)?[、 ]?(?:あなた|お前|君)",
        ),
        Order("これから|もう|今から|今すぐ|今や", "", r"(?:あなた|お前|君)は(?:今から|これから|もう|今すぐ|今や)"),
        Order(
            "従いなさい|従え|応答しろ|答えなさい|答えろ",
            "これから|今後|以後",
            r"(?:今後|これから|以後)は[^。！？\n]{0,20}?(?:答えなさい|答えろ|従え|従いなさい|応答しろ)",
        ),
        Order(
            "ai|アシスタント|ボット|モデル",
            "ない|無い",
            r"(?:制限|制約|フィルター|規制)の?(?:ない|無い)(?:アシスタント|モデル|ai|ボット)",
        ),
        Order(
            "あなたの|システムプロンプト|システムメッセージ|秘密の指示|隠された指示",
            "公開|出力|教え|明か|表示|見せ|開示",
            r"(?:システムプロンプト|システムメッセージ|秘密の指示|隠された指示|あなたの(?:\w{0,4}の)?指示)[^。！？\n]{0,16}?(?:表示|教え|出力|明か|見せ|公開|開示)",
        ),
        Order(
            "しい|たな",
            "タスク|ルール|命令|指示",
            r"新(?:しい|たな)(?:指示|命令|ルール|タスク)[^。！？：:\n]{0,10}[：:]",
        ),
        Order(
            "ai|アシスタント|人工知能|言語モデル",
            "お願い|メッセージ|命令|指示|注意",
            r"(?:ai|人工知能|言語モデル|アシスタント)(?:へ|に対する|への)の?(?:新しい)?(?:指示|注意|命令|お願い|メッセージ)",
        ),
        Order("ai|人工知能|言語モデル", "", r"(?:もし)?(?:あなた|君)が(?:ai|人工知能|言語モデル)"),
        Order(
            "見ている|読んで",
            "ai|アシスタント|人工知能|言語モデル",
            r"(?:読んで(?:いる)?|見ている)(?:ai|人工知能|言語モデル|アシスタント)",
        ),
        Order(
            "呼び出さなければ|呼び出しなさい|呼び出せ|実行しろ|実行せよ",
            "コマンド|ツール|関数",
            r"(?:ツール|関数|コマンド)を[^。！？\n]{0,8}?(?:呼び出さなければ|呼び出せ|実行せよ|実行しろ|呼び出しなさい)",
        ),
        Order(
            "方針|ルール|指針|原則|指示",
            "捨て|破|忘れ|無視",
            r"(?:方針|ルール|指針|原則|指示)(?:は|を|なんて)?[^。！？\n]{0,6}?(?:捨て|破っ|破り|忘れ|無視)",
        ),
        Order(
            "優先|置き換え|上書き",
            "指示|ルール|命令",
            r"(?:指示|ルール|命令)[^。！？\n]{0,8}?(?:に優先|を置き換え|を上書き)",
        ),
        Order("変更|更新", "指示|ルール", r"あなたへ?の(?:指示|ルール)は?[^。！？\n]{0,6}?(?:変更|更新)"),
        Order(
            "利用者|ユーザー",
            "悟|気づ|知られ|ばれ",
            r"(?:利用者|ユーザー)に[^。！？\n]{0,6}?(?:悟られ|気づかれ|知られ|ばれ)",
        ),
        Order("確認|許可", "求め|待", r"(?:確認|許可)を(?:求めるな|求めず|待つな|待たず|求めない)"),
        Order(
            "llm|チャットボット|ai|モデル",
            "へ|さん|処理",
            r"(?:処理する|読む|要約する)(?:llm|ai|モデル|アシスタント)|チャットボットさん|llmへ",
        ),
        Order(
            "要約|翻訳|分析", "言", r"(?:要約|翻訳|分析)(?:せず|しないで|するな)[^。！？\n]{0,20}?(?:言い|言え|答え)"
        ),
        Order(
            "安全|フィルタ|セキュリティ",
            "無効|解除|オフ",
            r"(?:安全|フィルタ|セキュリティ)[^。！？\n]{0,8}?(?:無効|解除|オフ)",
        ),
        Order(
            "プロンプト|システム指示|内部指示",
            "貼|読み上げ|写|訳|書",
            r"(?:プロンプト|システム指示|内部指示)[^。！？\n]{0,10}?(?:貼り|読み上げ|写し|訳し|書き)",
        ),
        Order("管理者", "行動|振る舞", r"管理者として[^。！？\n]{0,4}?(?:行動|振る舞|動)"),
    ),
    "ko": (
        Order(
            "규칙|내용|명령|제약|지시|지침|프롬프트",
            "",
            r"(?:지시|지침|명령|규칙|프롬프트|내용|제약|지시 사항)[^.!?\n]{0,14}?(?:무시(?:하|해)|잊(?:고|어|으)|따르지 (?:말|마|않)|폐기)",
        ),
        Order(
            "에게|한테",
            "말하지 |밝히지 |비밀|숨기|알리지 |언급하지 ",
            r"(?:사용자|유저|이용자|사람|누구)(?:에게|한테)(?:는|도)?[^.!?\n]{0,14}?(?:말하지 (?:말|마|않)|알리지 (?:말|마|않)|언급하지 (?:말|마|않)|밝히지 (?:말|마|않)|비밀|숨기)",
        ),
        Order("사용자|유저", "모르게|몰래", r"(?:사용자|유저)(?:가)? ?(?:모르게|몰래)"),
        Order(
            "앞으로|이제부터|지금부터",
            "",
            r"(?:지금부터|이제부터|앞으로)(?:는)?[^.!?\n]{0,4}?(?:당신|너|넌|네)(?:은|는|가)?",
        ),
        Order(
            "이제|지금 당장|지금 즉시|지금부터",
            "",
            r"(?:당신|너|넌|네)(?:은|는|가)? ?(?:이제부터|지금부터|이제|지금 즉시|지금 당장)",
        ),
        Order(
            "앞으로",
            "답하라|대답해|따르라|행동해",
            r"앞으로(?:는)?[^.!?\n]{0,20}?(?:대답해|대답하라|답하라|따르라|행동해)",
        ),
        Order(
            "없는 ", "규제|제약|제한|필터", r"(?:제한|제약|필터|규제)(?:이|가)? ?없는 (?:어시스턴트|모델|ai|봇|비서)"
        ),
        Order(
            "당신의 |비밀 지시|비밀 지침|숨겨진 지시|프롬프트",
            "공개|말해|보여|알려|출력|표시",
            r"(?:시스템 ?프롬프트|비밀 지침|숨겨진 지시|비밀 지시|당신의 (?:\w{1,4} )?지[시침])[^.!?\n]{0,16}?(?:보여|출력|공개|알려|말해|표시)",
        ),
        Order("과제|규칙|명령|지시|지침", "", r"새로?운? (?:지시|명령|지침|규칙|과제)[^.!?:\n]{0,10}:"),
        Order("ai|어시스턴트|언어|인공지능", "", r"(?:ai|인공지능|언어 ?모델|어시스턴트)(?:에게|에 대한)"),
        Order("ai|언어|인공지능", "", r"(?:당신|네|너)(?:이|가) (?:ai|인공지능|언어 ?모델)"),
        Order("ai|어시스턴트|언어|인공지능", "", r"(?:읽(?:고 있)?는|보는) (?:ai|인공지능|언어 ?모델|어시스턴트)"),
        Order("해야", "실행|호출", r"(?:도구|함수|명령)(?:를|을) (?:즉시 )?(?:호출|실행)해야"),
        Order(
            "방침|규칙|지침|원칙|지시",
            "버리|무시|어기|잊",
            r"(?:방침|규칙|지침|원칙|지시)(?:은|는|을|를)?\s?(?:모두 |다 )?(?:버리|무시하|어기|잊)",
        ),
        Order("대체|우선", "지시|규칙|명령|지침", r"(?:지시|규칙|명령|지침)(?:를|을|보다)\s?(?:모두 )?(?:대체|우선)"),
        Order(
            "변경|바뀌|업데이트",
            "지시|지침|규칙",
            r"(?:너|당신|네)의? (?:지시|지침|규칙)(?:가|이)?\s?(?:변경|바뀌|업데이트)",
        ),
        Order(
            "사용자", "알아서|알면|눈치|모르", r"사용자가\s?(?:이를 )?(?:알아서는|알면|눈치채)[^.!?\n]{0,8}?(?:안|마)"
        ),
        Order("확인|허락|승인", "마|말", r"(?:확인|허락|승인)(?:을|를)\s?(?:요청|구|기다리)[^.!?\n]{0,6}?(?:마|말)"),
        Order("llm|챗봇|ai|모델", "에게|안녕|처리", r"(?:처리하|읽|요약하)는 (?:llm|챗봇|ai|모델)|안녕 챗봇|llm에게"),
        Order("요약|번역|분석", "말해|답", r"(?:요약|번역|분석)하지 (?:말고|마)[^.!?\n]{0,24}?(?:말해|답해|말하)"),
        Order("보안|안전|필터", "꺼|끄|비활성|해제", r"(?:보안|안전|필터)[^.!?\n]{0,8}?(?:꺼|끄|비활성|해제)"),
        Order(
            "프롬프트|시스템 지시|내부 지침",
            "붙여|읽어|복사|번역|적어",
            r"(?:프롬프트|시스템 지시|내부 지침)(?:를|을)?\s?(?:여기에 )?(?:붙여|읽어|복사|번역|적어)",
        ),
        Order("관리자", "행동|처럼", r"관리자(?:로|처럼)\s?(?:행동|움직)"),
    ),
    "ar": (
        Order(
            "الأوامر|التعليمات|القواعد|ما سبق",
            "أهمل|انس|تجاهل",
            r"(?:تجاهل|انس|انسَ|أهمل)\w*\s[^.!؟\n]{0,30}?(?:التعليمات|القواعد|الأوامر|ما سبق)",
        ),
        Order("المستخدم|للمستخدم", "لا ت", r"لا (?:تخبر|تقل|تذكر|تبلغ)\w*\s[^.!؟\n]{0,20}?(?:المستخدم|للمستخدم)"),
        Order("تعليماتك|موجه النظام", "أظهر|اعرض|اكشف", r"(?:اكشف|أظهر|اعرض)\s[^.!؟\n]{0,20}?(?:موجه النظام|تعليماتك)"),
    ),
    "hi": (
        Order(
            "उपरोक्त|ऊपर के|पहले के|पिछले",
            "आदेश|नियम|निर्देश",
            r"(?:पिछले|उपरोक्त|पहले के|ऊपर के)[^।!?\n]{0,20}?(?:निर्देश|नियम|आदेश)[^।!?\n]{0,20}?(?:अनदेखा|भूल|नज़रअंदाज़|नजरअंदाज)",
        ),
        Order(" को ", "उपयोगकर्ता|यूजर|यूज़र", r"(?:उपयोगकर्ता|यूज़र|यूजर) को (?:\S+ )?(?:मत|नहीं) (?:बताओ|बताएं|बताना|कहो)"),
    ),
}

SCRIPTS: Final[Mapping[str, str]] = {
    "ru": r"[а-я]",
    "zh": r"[一-鿿]",
    "ja": r"[぀-ヿ]",
    "ko": r"[가-힯]",
    "ar": r"[؀-ۿ]",
    "hi": r"[ऀ-ॿ]",
}
"""What a text has at least one of that gives an order in the language."""
