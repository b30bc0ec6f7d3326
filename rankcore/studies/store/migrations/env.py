"""Alembic's environment: migrations run on the connection that `migrate` gives."""

from alembic import context

from rankcore.studies.store._tables import VERSION_TABLE, metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection, target_metadata=metadata, version_table=VERSION_TABLE
)
context.run_migrations()
