"""What is found of personal data, what is taken for some that is none, and what looking costs.

Sentences, numbers and check digits are made here, from the public definitions; nothing is shared with the detector or
with the libraries that it uses. `numbers` holds the check digits, `values` makes the data, a module for each language
holds the sentences, and `generate` puts them together.
"""
