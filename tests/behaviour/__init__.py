"""What the product promises, seen through its one door."""
