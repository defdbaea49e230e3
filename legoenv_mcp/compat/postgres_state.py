"""Databases for MCP-Mark's postgres tasks, made and dropped by the Python that has psycopg2.

    postgres_state.py create NAME [TEMPLATE]    a copy of TEMPLATE where there is such a database (says "template"), else empty
    postgres_state.py drop NAME

The server is the one that POSTGRES_HOST, POSTGRES_PORT, POSTGRES_USERNAME and POSTGRES_PASSWORD name.
"""

# pyright: reportMissingModuleSource=false, reportMissingImports=false
import os
import sys

import psycopg2
from psycopg2 import sql


def main(action, name, template=""):
    connection = psycopg2.connect(
        host=os.environ["POSTGRES_HOST"],
        port=os.environ["POSTGRES_PORT"],
        user=os.environ["POSTGRES_USERNAME"],
        password=os.environ["POSTGRES_PASSWORD"],
        dbname="postgres",
        connect_timeout=10,
    )
    connection.autocommit = True
    with connection.cursor() as cursor:
        if action == "drop":
            _alone(cursor, name)
            cursor.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
            return
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (template,))
        if cursor.fetchone() is None:
            cursor.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
            sys.stdout.write("empty")
        else:
            _alone(cursor, template)
            copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
            cursor.execute(copy.format(sql.Identifier(name), sql.Identifier(template)))
            sys.stdout.write("template")


def _alone(cursor, database):
    """Ends every other connection: PostgreSQL neither copies nor drops a database that someone uses."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    cursor.execute(others, (database,))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except psycopg2.Error as error:
        sys.exit(" ".join(str(error).split()))
