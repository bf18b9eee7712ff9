"""The deterministic observer: what was said, shortened to the sentences that must be kept, without a language model.

Imports `model`, `retrieval` and the standard library alone. Start reading at `observe.py`.
"""
