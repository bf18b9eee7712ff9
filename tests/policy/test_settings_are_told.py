"""Every setting is documented, and nothing else is."""

import inspect
import re
from pathlib import Path
from typing import get_type_hints

import remembrancer
from remembrancer import open_memory
from remembrancer.settings import SettingOptions, Settings

PAGE = Path(remembrancer.__file__).parents[2] / "docs/reference/settings.md"


def test_every_setting_stands_in_the_reference_by_its_name_in_the_environment() -> None:
    named = set(re.findall(r"REMEMBRANCER_[A-Z0-9_]+", PAGE.read_text(encoding="utf-8")))
    assert sorted({f"REMEMBRANCER_{name.upper()}" for name in Settings.model_fields} - named) == []


def test_the_reference_names_no_setting_that_is_gone() -> None:
    named = set(re.findall(r"REMEMBRANCER_[A-Z0-9_]+", PAGE.read_text(encoding="utf-8")))
    assert sorted(named - {f"REMEMBRANCER_{name.upper()}" for name in Settings.model_fields}) == []


def test_every_setting_is_an_option_of_opening_a_memory() -> None:
    named = set(inspect.signature(open_memory).parameters)
    options = get_type_hints(SettingOptions)
    assert set(options) == {*Settings.model_fields, "config"} - named
