"""Whether two sentences are told to be the same, opposite, or neither: pairs that nobody tuned on."""
