"""The methods, one module a family."""
