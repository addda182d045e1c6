"""Where golden sets and models are declared: project files, Python, and installed packages."""
