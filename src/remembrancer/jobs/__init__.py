"""Background work: worker, nightly maintenance, long jobs, doctor."""
