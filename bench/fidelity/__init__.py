"""Whether what a model notes is compared with what was said: lies in fourteen ways, and honest notes."""
