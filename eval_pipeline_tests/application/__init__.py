"""Use cases over in-memory ports, and the contract that every result store keeps."""
