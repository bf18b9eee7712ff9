"""The tests that every store passes: subclass `StoreContract` with a `store` fixture and a `rows` method.

A module per noun; the records that the tests store are made by `tests.factories`.
"""

from tests.contract.suite.calls import CallsContract
from tests.contract.suite.chunks import ChunksContract
from tests.contract.suite.clearance import ClearanceContract
from tests.contract.suite.due import DueContract
from tests.contract.suite.learning import LearningContract
from tests.contract.suite.lists import ListsContract
from tests.contract.suite.records import RecordsContract
from tests.contract.suite.scopes import ScopesContract
from tests.contract.suite.service import ServiceContract
from tests.contract.suite.sessions import SessionsContract
from tests.contract.suite.store import WholeStoreContract
from tests.contract.suite.texts import TextsContract
from tests.contract.suite.transactions import TransactionsContract
from tests.contract.suite.vectors import VectorsContract
from tests.contract.suite.versions import VersionsContract


class StoreContract(
    RecordsContract,
    ListsContract,
    VersionsContract,
    CallsContract,
    ScopesContract,
    ClearanceContract,
    TransactionsContract,
    TextsContract,
    VectorsContract,
    SessionsContract,
    DueContract,
    LearningContract,
    ChunksContract,
    ServiceContract,
    WholeStoreContract,
):
    """The tests that every store passes; `store` is an empty one."""
