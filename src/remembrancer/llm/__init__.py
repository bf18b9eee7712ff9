"""Calls of language models: prompts, budget, breaker, providers."""
