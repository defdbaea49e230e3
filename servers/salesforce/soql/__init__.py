"""SOQL and SOSL: a grammar, a compiler to bound SQL, and the shaping of results."""
