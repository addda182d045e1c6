"""Asking models: one adapter a kind of provider, and the one place that says who served a response."""
