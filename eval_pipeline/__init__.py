"""Measures the quality of language models' answers and names the model behind every score."""
