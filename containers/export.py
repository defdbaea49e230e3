"""Writes a database to standard output as it is between two transactions, while the app goes on."""

import sqlite3
import sys

connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=rw", uri=True, timeout=10)
sys.stdout.buffer.write(connection.serialize())
