"""A prompt that changes gets another version: what was derived from it says by which wording."""

import hashlib
from pathlib import Path

import remembrancer
from remembrancer.llm.prompts import template_of

PROMPTS = Path(remembrancer.__file__).parent / "learn/prompts"

# Recorded when a prompt is released. A new wording is a new line; the old ones stay, so that no version comes twice.
RELEASED: dict[str, str] = {
    "ask-1": "233f0f4406ac557aff1e11c5b48a4c9e09bbba535a26ce4661d0b16dd50444f0",
    "compact-1": "67a67d291d3cfe98c60416fd6def142ec59ff7b628fc096fe79f40d63a04d1e8",
    "conclude-1": "3bab5b1af6933d1a6b30bb8ee66facc2062bd01da385e1624a8d0b07efcaac1a",
    "conclude-2": "37d0723aadb5fe943094ac8831dc6ee0cbeccce435c54c0be1808ed55cd7650b",
    "detect-2": "01e2ebcb9bc2ad37be61d25b4b032b88ea98e80ed5f27790d8a98efa6eba1d11",
    "observe-1": "0164fb8781593250b7ef0362a60ffd03b6c7032f85a1623d800df6844cc61946",
    "observe-2": "5d32c5d4ec353beb7fa13af27e7c0b946f9c3bb55af17d01428cc57dee7682b2",
    "observe-3": "a75c1b5fecf84f12a57ab5ca77dd6c82aa2efd60d182ae075aab40e2042bc34c",
    "observe-4": "a4f76caffc2b26d31253de657d968c9275cd6f45dee56c41de55d7f3dbf98228",
    "reflect-1": "aee0414d53d17c427a66544bea78ee0f7ab02f1dc89f4c40028a74b3029dca70",
    "reflect-2": "d21157009e9cb196ea04851075ee81047f21b8853b6bb30375fa200d3753c81c",
    "rerank-1": "53d68ae9343f0d0592f8173e45d83a1fa77e3adfa8d4157b0f6326953f3cfe2e",
    "reflect-3": "90945edad31548bba3298bdf64e1fab85b10593dad1fe9eaeed501d37475fe54",
    "reflect-4": "39bee4e673d78e38cb953aa130820dcc8857cfe0d71ccf0bcc7e12ccd291c3d3",
    "reply-1": "5ced5da953048a14414c3a501e6bb9e82fa9c78ee922a0ef1dd64335731d9966",
    "reply-2": "a9f2d2b7948a277c04b52f6a3f82836a57b038c9237093e899252dedf56099fb",
    "summarise-1": "1ae813ba5256054401967d95a0eab7558b496fbfa87288e1ca3ab398b4ae5f5a",
    "summarise-2": "0c0b4c4173fc851fad9ae55e1d0426adb2e6042b7afade609dc9febf5ac7876d",
}


def test_each_prompt_is_the_one_that_was_released_under_its_version() -> None:
    found = {
        template_of(file.read_text(encoding="utf-8")).version: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(PROMPTS.glob("*.md"))
    }
    assert {version: RELEASED.get(version) for version in found} == found


def test_no_two_prompts_have_one_version() -> None:
    versions = [template_of(file.read_text(encoding="utf-8")).version for file in sorted(PROMPTS.glob("*.md"))]
    assert sorted(set(versions)) == sorted(versions)
