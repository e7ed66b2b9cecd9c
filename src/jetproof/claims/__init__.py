"""What a project may say today, given its policy and its verified evidence."""
