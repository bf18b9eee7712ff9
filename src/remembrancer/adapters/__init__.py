"""Clock, caches and meters that a deployment plugs in."""
