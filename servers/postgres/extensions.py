"""The extensions that the server's installation offers."""

AVAILABLE = {
    "btree_gin": ("1.3", "support for indexing common datatypes in GIN"),
    "btree_gist": ("1.7", "support for indexing common datatypes in GiST"),
    "citext": ("1.6", "data type for case-insensitive character strings"),
    "fuzzystrmatch": ("1.1", "determine similarities and distance between strings"),
    "hstore": ("1.8", "data type for storing sets of (key, value) pairs"),
    "intarray": ("1.5", "functions, operators, and index support for 1-D arrays of integers"),
    "pg_buffercache": ("1.3", "examine the shared buffer cache"),
    "pg_stat_statements": ("1.10", "track planning and execution statistics of all SQL statements executed"),
    "pg_trgm": ("1.6", "text similarity measurement and index searching based on trigrams"),
    "pgcrypto": ("1.3", "cryptographic functions"),
    "pgstattuple": ("1.5", "show tuple-level statistics"),
    "plpgsql": ("1.0", "PL/pgSQL procedural language"),
    "postgres_fdw": ("1.1", "foreign-data wrapper for remote PostgreSQL servers"),
    "tablefunc": ("1.0", "functions that manipulate whole tables, including crosstab"),
    "unaccent": ("1.1", "text search dictionary that removes accents"),
    "uuid-ossp": ("1.1", "generate universally unique identifiers (UUIDs)"),
}
"""Name -> version and comment."""
USABLE = ("plpgsql", "pg_stat_statements", "pgcrypto", "uuid-ossp")
"""Extensions of which what they add is here."""
