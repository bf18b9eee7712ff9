"""Personal data in texts: card numbers, IBANs, identity numbers, addresses of mail and machines, telephone numbers.

It is told by its form and, where the kind has them, by its check digits; what is doubtful needs a word beside it that
names it.
"""
