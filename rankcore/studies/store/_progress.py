"""The furthest step of each lesson that visitors of the app have opened."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from rankcore.studies.store._tables import progress

# Maximum number of latest lessons stored per visitor.
MOST_LESSONS = 64
# As long as a browser keeps the cookie that identifies a visitor.
LIFETIME = timedelta(days=400)


def load(connection: Connection, visitor: str) -> dict[str, int]:
    """Return a visitor's steps by lesson name, without damaged rows."""
    row = select(progress.c.steps).where(progress.c.visitor == visitor)
    steps = connection.scalar(row)
    if not isinstance(steps, dict):
        return {}
    return {name: step for name, step in steps.items() if isinstance(step, int)}


def put(connection: Connection, visitor: str, lesson: str, step: int) -> None:
    """Store that a visitor has opened a step; an earlier step changes nothing."""
    steps, now = load(connection, visitor), datetime.now(UTC)
    furthest = max(step, steps.pop(lesson, 0))
    latest = dict([*steps.items(), (lesson, furthest)][-MOST_LESSONS:])
    values = {"updated": now, "steps": latest}
    of_visitor = progress.c.visitor == visitor
    if not connection.execute(
        update(progress).where(of_visitor).values(values)
    ).rowcount:
        connection.execute(delete(progress).where(progress.c.updated < now - LIFETIME))
        connection.execute(insert(progress).values(visitor=visitor, **values))
