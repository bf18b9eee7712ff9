"""A memory that is served somewhere: `client` has the methods of `Memory`, `sync` the same without `await`."""
