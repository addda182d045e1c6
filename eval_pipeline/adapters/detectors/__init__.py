"""Detectors: what finds sentiment, personal data and faults of language. Loaded on first need."""
