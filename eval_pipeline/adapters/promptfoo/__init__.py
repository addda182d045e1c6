"""Configurations of promptfoo, read once and written as golden prompt sets and models of ours.

One way: nothing is ever written back. What has no counterpart of the same meaning is reported, never guessed.
"""
