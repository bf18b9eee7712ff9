"""Personal data in texts: cards, IBANs, identity numbers, addresses of email and machines, telephone numbers, names.

It is detected by its form and, where the kind has them, its check digits. A doubtful number needs a word near it that
names it. Start with `find`.
"""
