"""What every store must do, whatever keeps it: subclass `StoreContract` and give it a `store` fixture.

    class TestMyStore(StoreContract):
        @pytest.fixture
        async def store(self, tmp_path: Path) -> AsyncGenerator[Store, None]:
            async with MyStore.open(tmp_path / "m.db") as store:
                yield store

Each noun has a file of its own; what the tests work with is in `made`. They run through anyio's pytest plugin;
an `anyio_backend` fixture of yours says on which event loop.
"""

from remembrancer.testing.contract.blocks import BlocksContract
from remembrancer.testing.contract.calls import CallsContract
from remembrancer.testing.contract.chunks import ChunksContract
from remembrancer.testing.contract.clearance import ClearanceContract
from remembrancer.testing.contract.due import DueContract
from remembrancer.testing.contract.erasure import ErasureContract
from remembrancer.testing.contract.generations import GenerationsContract
from remembrancer.testing.contract.injections import InjectionsContract
from remembrancer.testing.contract.learning import LearningContract
from remembrancer.testing.contract.lists import ListsContract
from remembrancer.testing.contract.policies import PoliciesContract
from remembrancer.testing.contract.readings import ReadingsContract
from remembrancer.testing.contract.records import RecordsContract
from remembrancer.testing.contract.scopes import ScopesContract
from remembrancer.testing.contract.service import ServiceContract
from remembrancer.testing.contract.sessions import SessionsContract
from remembrancer.testing.contract.store import WholeStoreContract
from remembrancer.testing.contract.texts import TextsContract
from remembrancer.testing.contract.transactions import TransactionsContract
from remembrancer.testing.contract.vectors import VectorsContract
from remembrancer.testing.contract.versions import VersionsContract


class StoreContract(
    RecordsContract,
    ListsContract,
    VersionsContract,
    CallsContract,
    ScopesContract,
    ClearanceContract,
    TransactionsContract,
    ErasureContract,
    TextsContract,
    VectorsContract,
    GenerationsContract,
    SessionsContract,
    DueContract,
    InjectionsContract,
    LearningContract,
    ReadingsContract,
    PoliciesContract,
    BlocksContract,
    ChunksContract,
    ServiceContract,
    WholeStoreContract,
):
    """The tests that every store passes; `store` is an empty one."""
