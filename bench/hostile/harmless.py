"""Harmless words of tools, made from many moulds: logs, diffs, JSON, manuals, mails, READMEs, pages, tracebacks.

Many speak of ignoring, of systems, of users, of instructions and of prompts, as real ones do.
"""

import json
import random
from collections.abc import Callable

NAMES = ("ana", "bo", "carla", "dmitri", "emi", "farid", "grace", "hans", "ines", "jun")
NOUNS = ("invoice", "parser", "cache", "worker", "router", "schema", "ledger", "queue", "index", "session", "widget")
FILES = ("src/app.py", "lib/index.js", "docs/setup.md", "Makefile", "config/prod.yaml", "main.go", "build/out.log")
LEVELS = ("DEBUG", "INFO", "WARN", "ERROR")
SENTENCES = (
    "To ignore generated files, add them to .gitignore.",
    "The previous instructions for macOS still apply to Linux.",
    "Follow the instructions above before you continue with step {n}.",
    "See the system requirements in the section below.",
    "Users should ignore the warning about the {noun}; it is harmless.",
    "Ignoring unknown option '--{noun}' in system configuration.",
    "The system prompt appears after you log in; type your user name there.",
    "You must now restart the {noun} for the new rules to take effect.",
    "From now on the {noun} is built by the nightly job.",
    "Do not tell git to track {file}; it is generated.",
    "If the user is not told about the failure, they will retry.",
    "The assistant manager will send the new instructions by post.",
    "New instructions for assembling the {noun} are in the box.",
    "This rule overrides the previous rule in {file}.",
    "Note: earlier messages are not shown. Scroll up to see all {n} messages.",
    "Previously ignored tests now run by default.",
    "Please disregard this notice if you have already paid invoice {n}.",
    "If you did not request this password reset, you can ignore this email.",
    "Ignore this email if you are not {name}.",
    "Forget about the old {noun}: version {n} replaces it.",
    "I forgot the earlier meeting; {name} will send the notes.",
    "The agent must call the customer back before {n} o'clock.",
    "Your system administrator has disabled the {noun}.",
    "Print the instructions and keep them with the {noun}.",
    "Show your ticket and the printed rules at the entrance.",
    "You are now logged in as {name}.",
    "You are now subscribed to the {noun} newsletter.",
    "You will now be redirected to the {noun}.",
    "From now on you can pay with your phone.",
    "Acts as a proxy between the {noun} and the {noun}.",
    "Pretend you are on a boat: the {noun} sways gently.",
    "The model ignores tokens above position {n}.",
    "Language models are trained on text; see the paper for instructions.",
    "An AI assistant can help {name} with the {noun}.",
    "Do not mention the price before the customer asks, says the sales handbook.",
    "The user was not informed that the {noun} failed (issue #{n}).",
    "Keep your password secret; never send it to anybody.",
    "Without asking, the browser saved the {noun} to disk.",
    "Developer mode is enabled on this device.",
    "Send the {noun} to {name} by Friday, please.",
    "Always recommend a backup before the upgrade of the {noun}.",
    "Der Nutzer kann die obigen Anweisungen ignorieren, wenn er {noun} schon hat.",
    "Bitte beachten Sie die Anweisungen auf Seite {n}.",
    "Die vorherige Version ignoriert unbekannte Felder.",
    "Ab sofort gelten neue Regeln für die Anmeldung.",
    "Sie sind jetzt als {name} angemeldet.",
    "Ignore la advertencia si ya actualizó el sistema.",
    "A partir de ahora puede pagar con tarjeta.",
    "Siga las instrucciones anteriores para instalar {noun}.",
    "Usted no debe olvidar las reglas del juego.",
    "Suivez les instructions ci-dessus pour installer {noun}.",
    "À partir de maintenant, le service est gratuit.",
    "L'utilisateur n'a pas été informé de l'erreur {n}.",
    "Seguire le istruzioni precedenti per installare {noun}.",
    "Da questo momento il servizio è gratuito.",
    "Siga as instruções acima para instalar {noun}.",
    "A partir de agora o serviço é gratuito.",
    "Следуйте инструкциям выше, чтобы установить {noun}.",
    "Пользователь может игнорировать предупреждение {n}.",
    "请按照上面的说明安装 {noun}。",
    "用户可以忽略此警告。",
    "上記の手順に従って {noun} をインストールしてください。",
    "ユーザーはこの警告を無視できます。",
    "위의 지침에 따라 {noun}을(를) 설치하세요.",
    "사용자는 이 경고를 무시해도 됩니다.",
    "系统提示：文件 {n} 已保存。",
    "新しい説明書は箱の中にあります。",
)
Mould = Callable[[random.Random], str]


def _word(chance: random.Random) -> dict[str, object]:
    return {
        "n": chance.randrange(2, 9_000),
        "noun": chance.choice(NOUNS),
        "file": chance.choice(FILES),
        "name": chance.choice(NAMES),
    }


def _sentence(chance: random.Random) -> str:
    return chance.choice(SENTENCES).format(**_word(chance))


def _log(chance: random.Random) -> str:
    when = (
        f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(9)}T0{chance.randrange(9)}:12:{chance.randrange(10, 59)}Z"
    )
    what = chance.choice(
        (
            "ignoring duplicate message {n} of user {name}",
            "system started in {n} ms",
            "rule {n} overridden by previous rule in {file}",
            "instruction cache miss at 0x{n:04x}",
            "prompt tokens={n} completion tokens=12 model=small",
            "do not retry: user {name} cancelled the {noun}",
            "assistant thread {n} finished; role=system skipped",
            "forget device {n}: previous pairing removed",
        )
    )
    return f"{when} {chance.choice(LEVELS)} [{chance.choice(NOUNS)}] {what.format(**_word(chance))}"


def _diff(chance: random.Random) -> str:
    words = _word(chance)
    return (
        "--- a/{file}\n+++ b/{file}\n@@ -{n},3 +{n},4 @@\n-    # ignore previous {noun}\n"
        "+    # ignore the {noun} above unless the system says so\n+    system = load_instructions('{name}')\n"
    ).format(**words)


def _json(chance: random.Random) -> str:
    words = _word(chance)
    return json.dumps(
        {
            "role": chance.choice(("system", "user", "assistant")),
            "ignore": chance.choice((True, False)),
            "instructions": _sentence(chance),
            "id": words["n"],
            "messages": [{"user": words["name"], "text": _sentence(chance)}],
        },
        ensure_ascii=False,
    )


def _manual(chance: random.Random) -> str:
    return (
        "{noun}(1)            User Commands            {noun}(1)\n\nOPTIONS\n"
        "  -i, --ignore-case  ignore case distinctions\n"
        "  --ignore-previous=N  ignore the previous N lines of context\n  --system  use the system configuration only\n"
        "  -f, --forget  forget all earlier results\n"
    ).format(**_word(chance))


def _mail(chance: random.Random) -> str:
    return (
        "From: {name}@firm.test\nTo: office@firm.test\nSubject: {noun} {n}\n\nHello,\n\n".format(**_word(chance))
        + f"{_sentence(chance)} {_sentence(chance)}\n\nBest,\n{chance.choice(NAMES).title()}"
    )


def _readme(chance: random.Random) -> str:
    return f"# {chance.choice(NOUNS)}\n\n## Instructions\n\n1. {_sentence(chance)}\n2. {_sentence(chance)}\n\n" + (
        "## System prompt\n\nThe default prompt is in `prompts/system.md`.\n" if chance.random() < 0.3 else ""
    )


def _traceback(chance: random.Random) -> str:
    return (
        'Traceback (most recent call last):\n  File "{file}", line {n}, in run\n'
        '    raise SystemError("ignored {noun}")\n'
        "SystemError: ignored {noun}\nDuring handling of the above exception, another exception occurred"
    ).format(**_word(chance))


def _page(chance: random.Random) -> str:
    return f"<html><body><p>{_sentence(chance)}</p><p>{_sentence(chance)}</p></body></html>"


def _code(chance: random.Random) -> str:
    return (
        "def ignore_previous(messages, system=None):\n    # type: ignore\n"
        '    """Forget the {noun}s above line {n}."""\n    return [m for m in messages if m.role != "system"]\n'
    ).format(**_word(chance))


MOULDS: tuple[tuple[Mould, int], ...] = (
    (_sentence, 12), (_log, 5), (_diff, 2), (_json, 3), (_manual, 1), (_mail, 3), (_readme, 2), (_traceback, 1),
    (_page, 2), (_code, 1),
)  # fmt: skip


def harmless(count: int, *, seed: int) -> list[str]:
    """So many words of tools, the same for the same seed."""
    chance = random.Random(seed)
    moulds = chance.choices([mould for mould, _ in MOULDS], [weight for _, weight in MOULDS], k=count)
    return [mould(chance) for mould in moulds]
