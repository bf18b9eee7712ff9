"""Adapters to databases. They see ports, model and errors, nothing else."""
