"""The detector: repeated behaviour in deeds, counted and tested against chance, without any model.

Start reading at `detect.py`; `proposals.py` recounts the proposals of a model.
"""
