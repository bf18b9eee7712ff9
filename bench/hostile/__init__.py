"""What is thrown at the door: planted secrets, what only looks like one, orders to an agent, harmless words of tools.

Nothing here shares a word with the detectors, so that a figure says what they find and not what they were told.
"""
