"""Observer and reflector by a language model: what it is asked, and what of its answers is refused.

Imports `model`, `ports`, `engines.prompting` and `engines.reflecting` alone. Start reading at `observer.py`.
"""
