"""A block as one text or as the messages of a chat: the same block gives the same, and what is new comes last."""

from remembrancer.context.assemble import Block, Item
from remembrancer.context.formats import Format, chat_messages, render, system_texts
from remembrancer.context.slots import Slot


def item(slot: Slot, text: str, *, role: str = "", speaker: str = "") -> Item:
    return Item(slot=slot, text=f"{text}\n", tokens=len(text), role=role, speaker=speaker, message_text=text)


KNOWN = item(Slot.OBSERVATIONS, "Ana moved to Berlin")
HELLO = item(Slot.MESSAGES, "hello", role="user", speaker="Ana")
ANSWER = item(Slot.MESSAGES, "good day", role="assistant")
RESULT = item(Slot.MESSAGES, "42", role="tool")
NOW = item(Slot.TODAY, "Today is Monday")


def test_a_text_ends_with_what_is_new() -> None:
    written = render(Block(items=(KNOWN, HELLO, NOW)), Format.MARKDOWN)
    assert written.text == written.prefix + written.rest
    assert written.prefix == "Ana moved to Berlin\n## Messages\nhello\n"
    assert written.rest == "Today is Monday\n"


def test_tags_close_but_for_the_messages_which_grow() -> None:
    written = render(Block(items=(KNOWN, HELLO, NOW)), Format.TAGS)
    assert written.prefix == "<observations>\nAna moved to Berlin\n</observations>\n<messages>\nhello\n"


def test_a_chat_begins_with_what_is_known_and_ends_with_what_is_new() -> None:
    assert chat_messages(Block(items=(KNOWN, HELLO, ANSWER, RESULT, NOW))) == [
        {"role": "system", "content": "Ana moved to Berlin\n"},
        {"role": "user", "content": "Ana: hello"},
        {"role": "assistant", "content": "good day"},
        {"role": "user", "content": "A tool answered: 42"},
        {"role": "system", "content": "Today is Monday\n"},
    ]


def test_with_marks_what_is_known_stands_apart_and_what_is_new_behind_the_last_mark() -> None:
    block = Block(items=(KNOWN, ANSWER, HELLO, NOW))
    mark = {"type": "ephemeral"}
    assert system_texts(block) == [{"type": "text", "text": "Ana moved to Berlin\n", "cache_control": mark}]
    assert chat_messages(block, marks=True) == [
        {"role": "assistant", "content": "good day"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Ana: hello", "cache_control": mark},
                {"type": "text", "text": "Today is Monday\n"},
            ],
        },
    ]


def test_with_marks_what_is_new_is_the_users_where_somebody_else_spoke_last() -> None:
    assert chat_messages(Block(items=(HELLO, ANSWER, NOW)), marks=True)[-1] == {
        "role": "user",
        "content": [{"type": "text", "text": "Today is Monday\n"}],
    }


def test_an_empty_block_is_an_empty_chat() -> None:
    assert chat_messages(Block(items=())) == system_texts(Block(items=())) == []
