"""The outside world: declarations, models, databases, reports. Imports the application, never the reverse."""
