"""Background work: scheduler, nightly maintenance, long jobs."""
