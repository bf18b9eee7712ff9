"""What is known of five languages: spelling, stop words, stems, calendars, numbers. May import nothing of ours."""
