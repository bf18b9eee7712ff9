"""An example of each operation, as the document shows it and a test runs it.

`$observation`, `$message`, `$procedure`, `$episode`, `$learned` and `$key` stand for ids of what the sample store
holds; `needs` names what a service must have for it.
"""

from collections.abc import Mapping
from typing import Any

EXAMPLES: Mapping[str, Mapping[str, Any]] = {}
