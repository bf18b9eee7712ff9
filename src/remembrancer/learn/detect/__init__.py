"""The detector: what deeds have in common again and again, counted and tested against chance, without any model.

Imports `model`, `retrieval` and NumPy alone. Start reading at `detect.py`; `check.py` recounts what a model proposes.
"""
