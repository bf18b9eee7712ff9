"""The engines of learning by a language model: their prompts, and the checks of the answers.

Start reading at `observer.py`.
"""
