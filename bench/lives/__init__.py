"""Whether the brief tells what holds after a year: instructions, constants, dates ahead, and nothing withdrawn."""
