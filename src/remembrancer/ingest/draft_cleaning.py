"""Cleaning of drafts before storage.

Private regions, secrets, sealed blocks and personal data are removed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from remembrancer.errors import NotAllowed
from remembrancer.guard.personal.find import find_personal, masker, ready
from remembrancer.guard.personal.texts import mapped_value
from remembrancer.guard.redact import Masked, redact, redact_value
from remembrancer.guard.threads import off_loop
from remembrancer.ingest.classification import class_of_texts
from remembrancer.language.private import leaves_open, stripped_together
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Clean, CleanValue, Draft, cleaned_details
from remembrancer.transactions.redaction import effective_redactions, refusal_message
from remembrancer.transactions.sealed_blocks import blocks_to_references
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.policy import NAME_TYPES, PERSONAL, PersonalDataType, Redaction
from remembrancer.types.record import Json, Metadata, Source
from remembrancer.types.scope import MAX_NAME_CHARACTERS, Classification
from remembrancer.types.text import same_name

SECRETS_FOUND = "secrets"
IN_NAMES = (PersonalDataType.CARD, PersonalDataType.IBAN, PersonalDataType.EMAIL, PersonalDataType.PHONE)
"""Personal data that is searched for in names of sessions and in keys: other forms are too often part numbers."""


def without_private_regions(drafts: Sequence[Draft]) -> list[Draft]:
    """Remove private regions that span several messages of a session.

    Imported messages were split by others, and a claim is a text of its own: there an unclosed region ends with its
    text.
    """
    if not any(leaves_open(draft.text) for draft in drafts):
        return list(drafts)
    stripped = list(drafts)
    groups: dict[tuple[bool, str | None], list[int]] = {}
    for index, draft in enumerate(drafts):
        groups.setdefault((draft.role is None, draft.session), []).append(index)
    for group in groups.values():
        texts = stripped_together(
            [drafts[index].text for index in group], by=[_region_owner(drafts[index], index) for index in group]
        )
        for index, text in zip(group, texts, strict=True):
            stripped[index] = replace(drafts[index], text=text)
    return stripped


def _region_owner(draft: Draft, index: int) -> str:
    is_separate = draft.role is None or draft.source is Source.IMPORT
    return f"{index}" if is_separate else f"{draft.role} {draft.speaker}"


def clean_name(name: str, rules: Dependencies) -> str:
    """Return a session id or a key without private content.

    It is composed, with a fingerprint in place of what was removed. Only this store can make the fingerprint; two names
    that differ in private content stay different.

    Raises:
        NotAllowed: it contains a secret that policy refuses.
    """
    name = same_name(name)
    cleaned = redact(blocks_to_references(name, sign=rules.sign), policy=rules.secrets).text
    if cleaned == name:
        return name
    return f"{cleaned[: MAX_NAME_CHARACTERS - 18]} {rules.sign(f'name {name}')[:16]}"


async def cleaned_drafts(writer: WriteTransaction, drafts: Sequence[Draft]) -> list[Draft]:
    """Return drafts without the content that must not be stored.

    That is private regions, secrets, sealed blocks, and data that the scope's policies exclude.

    Raises:
        NotAllowed: one contains what a policy refuses.
    """
    await ready(*drafts)
    cleaner = _Cleaner(writer.rules)
    cleaned = [_cleaned(draft, writer.rules, cleaner) for draft in drafts]
    policies = await effective_redactions(writer.tx)
    if kinds := [data_type for data_type in NAME_TYPES if policies[data_type] is not Redaction.OFF]:
        return await off_loop(lambda: [_redacted(_with_names(one, kinds), policies) for one in cleaned])
    return [_redacted(one, policies) for one in cleaned]


def check_cleanable(draft: Draft, rules: Dependencies, policies: Mapping[PersonalDataType, Redaction]) -> None:
    """Check that no policy refuses a draft.

    Raises:
        NotAllowed: one does.
    """
    _redacted(_cleaned(draft, rules, _Cleaner(rules)), policies)


def text_class(draft: Draft, rules: Dependencies) -> Classification:
    """Return the class that the texts of a draft require by their content."""
    return _cleaned(draft, rules, _Cleaner(rules)).draft.text_class


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cleaned:
    """A draft without secrets, and the personal data in its texts.

    Args:
        in_names: the kinds in its session and its keys, which are stored unmasked.
    """

    draft: Draft
    personal: frozenset[PersonalDataType]
    texts: tuple[str, ...] = ()
    in_names: frozenset[PersonalDataType] = frozenset()


class _Cleaner:
    """The cleaning of single texts, with a cache of short ones for one batch."""

    def __init__(self, rules: Dependencies) -> None:
        self._rules = rules
        self._masked: dict[str, Masked] = {}
        self._personal: dict[str, frozenset[PersonalDataType]] = {}

    def masked(self, text: str) -> Masked:
        """Return a text without sealed blocks, private regions and secrets."""
        if len(text) > MAX_NAME_CHARACTERS:
            return self._mask(text)
        if (masked := self._masked.get(text)) is None:
            masked = self._masked[text] = self._mask(text)
        return masked

    def personal(self, text: str) -> frozenset[PersonalDataType]:
        """Return the kinds of personal data in a text."""
        if len(text) > MAX_NAME_CHARACTERS:
            return _personal_in(text)
        if (kinds := self._personal.get(text)) is None:
            kinds = self._personal[text] = _personal_in(text)
        return kinds

    def _mask(self, text: str) -> Masked:
        # The content of a block is memory's own; and an erased text must not survive in a quotation.
        return redact(blocks_to_references(text, sign=self._rules.sign), policy=self._rules.secrets)


def _personal_in(text: str) -> frozenset[PersonalDataType]:
    return frozenset(one.data_type for one in find_personal(text))


def _cleaned(draft: Draft, rules: Dependencies, cleaner: _Cleaner) -> _Cleaned:
    secrets: set[str] = set()
    personal: set[PersonalDataType] = set()
    in_names: set[PersonalDataType] = set()
    texts: list[str] = []
    without_blocks = partial(blocks_to_references, sign=rules.sign)

    def clean(text: str) -> str:
        masked = cleaner.masked(text)
        secrets.update(masked.kinds)
        return inspect(masked.text)

    def inspect(text: str) -> str:
        personal.update(cleaner.personal(text))
        texts.append(text)
        return text

    def clean_value(value: Json) -> Json:
        masked, kinds = redact_value(value, policy=rules.secrets, before=without_blocks)
        secrets.update(kinds)
        return mapped_value(masked, inspect)

    def clean_key(name: str) -> str:
        name = same_name(name)
        stored = name if cleaner.masked(name).text == name else clean_name(name, rules)
        in_names.update(cleaner.personal(stored).intersection(IN_NAMES))
        return stored

    cleaned = _mapped(draft, clean, clean_key, clean_value)
    personal |= in_names
    if secrets:
        cleaned = _with_metadata(cleaned, SECRETS_FOUND, secrets)
    required = class_of_texts(texts, personal=personal, secrets=bool(secrets), decides=draft.type == "decision")
    return _Cleaned(
        draft=replace(cleaned, text_class=required),
        personal=frozenset(personal),
        texts=tuple(texts),
        in_names=frozenset(in_names),
    )


def _with_names(cleaned: _Cleaned, kinds: Sequence[PersonalDataType]) -> _Cleaned:
    """Add the kinds of names that the texts contain. This may be slow."""
    in_texts = {one.data_type for text in cleaned.texts for one in find_personal(text, kinds)}
    return replace(cleaned, personal=cleaned.personal | in_texts)


def _redacted(cleaned: _Cleaned, policies: Mapping[PersonalDataType, Redaction]) -> Draft:
    """Return a draft with its personal data masked or tagged.

    Raises:
        NotAllowed: it contains data that a policy refuses.
    """
    by_redaction = {
        redaction: sorted(data_type for data_type in cleaned.personal if policies[data_type] is redaction)
        for redaction in Redaction
    }
    if refused := by_redaction[Redaction.REFUSE]:
        raise NotAllowed(refusal_message(refused))
    draft = cleaned.draft
    if in_names := sorted(cleaned.in_names.intersection(by_redaction[Redaction.MASK])):
        raise NotAllowed(
            f"its session or a key contains personal data ({', '.join(in_names)}), which this scope does not store;"
            " such names are stored unmasked: use another"
        )
    if by_redaction[Redaction.MASK]:
        mask = masker(by_redaction[Redaction.MASK])
        draft = _mapped(draft, mask, str, lambda value: mapped_value(value, mask))
    tagged = by_redaction[Redaction.TAG]
    return _with_metadata(draft, PERSONAL, tagged) if tagged else draft


def _mapped(draft: Draft, clean: Clean, clean_key: Clean, clean_value: CleanValue) -> Draft:
    """Apply functions to all strings of a draft."""
    return replace(
        draft,
        text=clean(draft.text),
        title=draft.title and clean(draft.title),
        speaker=clean(draft.speaker),
        author=clean(draft.author),
        session=draft.session and clean_key(draft.session),
        topic_key=draft.topic_key and clean_key(draft.topic_key),
        key=draft.key and clean_key(draft.key),
        tags=None if draft.tags is None else tuple(dict.fromkeys(same_name(clean(tag)) for tag in draft.tags)),
        metadata=cast(Metadata, clean_value(draft.metadata)),
        details=draft.details and cleaned_details(draft.details, clean, clean_key, clean_value),
    )


def _with_metadata(draft: Draft, name: str, kinds: Collection[str]) -> Draft:
    """Record in the metadata which kinds of data were found.

    The name is one that the caller does not use.
    """
    if draft.metadata.get(name) == sorted(kinds):
        # An export of ours contains the same entry.
        return draft
    free_name = name if name not in draft.metadata else f"remembrancer.{name}"
    return replace(draft, metadata={**draft.metadata, free_name: sorted(kinds)})
