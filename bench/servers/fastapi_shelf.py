"""A shelf of the shape that the Agent World Model generates: SQLAlchemy models on a SQLite file, FastAPI endpoints with operation ids,
made into tools by fastapi-mcp. `python fastapi_shelf.py FILE.db`; a file that is not there is made. Its harness starts one such process
for each episode, on a copy of the database.
"""

import json
import sys
from pathlib import Path as File
from typing import Any

from fastapi import FastAPI, HTTPException, Query
from fastapi_mcp import FastApiMCP
from listening import serve
from pydantic import BaseModel, ConfigDict, Field
from shelf_rows import COLUMNS, CREATED, rows
from sqlalchemy import Boolean, Column, Float, Integer, String, create_engine
from sqlalchemy.orm import declarative_base, sessionmaker

database = File(sys.argv[1])
Base = declarative_base()
engine = create_engine(f"sqlite:///{database}", connect_args={"check_same_thread": False})
SessionLocal = sessionmaker(bind=engine, autocommit=False, autoflush=False)


class Row(Base):
    __tablename__ = "item"
    id = Column(String, primary_key=True)
    name = Column(String, nullable=False)
    kind = Column(String, nullable=False, index=True)
    amount = Column(Float, nullable=False)
    count = Column(Integer, nullable=False)
    active = Column(Boolean, nullable=False)
    note = Column(String)
    tags = Column(String, nullable=False)
    created = Column(String, nullable=False)
    updated = Column(String, nullable=False)


class Item(BaseModel):
    id: str
    name: str
    kind: str
    amount: float
    count: int
    active: bool
    note: str | None
    tags: list[str]
    created: str
    updated: str
    model_config = ConfigDict(from_attributes=True)


class NewItem(BaseModel):
    name: str = Field(..., description="Its name")
    kind: str = Field("a", description="Its kind")
    amount: float = Field(0, description="What it is worth")


new = not database.exists()
Base.metadata.create_all(engine)
if new:
    with SessionLocal() as session:
        session.add_all(Row(**_row) for _row in ({**dict(zip(COLUMNS.split(", "), r, strict=True))} for r in rows()))
        session.commit()

app = FastAPI(title="Shelf", version="1.0.0")


def _item(row: Any) -> Item:
    return Item(**{name: getattr(row, name) for name in COLUMNS.split(", ")} | {"tags": json.loads(row.tags)})


@app.get("/items/{id}", operation_id="get_item", summary="Gets one item by its id", response_model=Item)
async def get_item(id: str) -> Item:
    with SessionLocal() as session:
        row = session.query(Row).filter(Row.id == id).first()
        if row is None:
            raise HTTPException(404, f"there is no item {id!r}")
        return _item(row)


@app.get("/items", operation_id="list_items", summary="Lists items of a kind", response_model=list[Item])
async def list_items(kind: str | None = Query(None), limit: int = Query(20, ge=1, le=100)) -> list[Item]:
    with SessionLocal() as session:
        query = session.query(Row)
        if kind:
            query = query.filter(Row.kind == kind)
        return [_item(row) for row in query.limit(limit)]


@app.post("/items", operation_id="add_item", summary="Adds an item", response_model=Item)
async def add_item(new: NewItem) -> Item:
    with SessionLocal() as session:
        number = session.query(Row).count()
        row = Row(
            id=f"new_{number:08}", name=new.name, kind=new.kind, amount=new.amount, count=0, active=True, note=None, tags="[]",
            created=CREATED, updated=CREATED,
        )  # fmt: skip
        session.add(row)
        session.commit()
        return _item(row)


mcp = FastApiMCP(app)
mcp.mount_http()

if __name__ == "__main__":
    serve(app, "/mcp")
