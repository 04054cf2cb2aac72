"""What results say: labels, numbers and sentences, in plain text and in other languages."""
