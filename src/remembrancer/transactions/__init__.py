"""One caller's reads and writes: unit of work, write transaction, audit, holds, rejections."""
