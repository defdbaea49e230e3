"""A small CRM for tests of kernel, faces and gateway: wrapped answers, an error envelope, cursors, path segments with slashes."""
