"""The deterministic observer: it selects the sentences to keep, without a language model.

Start reading at `observe.py`.
"""
