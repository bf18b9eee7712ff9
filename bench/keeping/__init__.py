"""Whether what a person would want kept of a conversation is kept, by kind, and whether anything false is stated."""
