"""What an agent learns by what is done: the doors to episodes, facts, procedures, and to what was observed of them."""
