// Neon's serverless driver, unmodified but for its endpoint, against the PostgreSQL app: prints what each call gave, as JSON.
import { neon, neonConfig, NeonDbError } from "@neondatabase/serverless";

const [, , rest] = process.argv;
neonConfig.fetchEndpoint = () => `${rest}/sql`;
const url = "postgresql://postgres:secret@db.example.com/app";
const sql = neon(url);
const found = {};

async function refused(call) {
  try {
    await call();
  } catch (error) {
    const { name, code, message, detail, hint, constraint, table, position, severity } = error;
    return { driver: error instanceof NeonDbError, name, code, message, detail, hint, constraint, table, position, severity };
  }
  return null;
}

found.one = await sql`SELECT 1 AS one, 'x' AS text, true AS yes, 1.50::numeric AS exact, '{"a": [1]}'::jsonb AS doc, ARRAY[1,2] AS list, NULL AS nothing`;
const name = "Neon 'quoted'";
found.created = await sql`CREATE TABLE notes (id serial PRIMARY KEY, body text NOT NULL UNIQUE, made date DEFAULT '2026-01-01', n int8)`;
found.inserted = await sql`INSERT INTO notes (body, n) VALUES (${name}, ${9007199254740993n.toString()}) RETURNING id, body, n`;
found.updated = await sql`UPDATE notes SET body = body || ${"!"} WHERE id = ${1} RETURNING body`;
found.query = await sql.query("SELECT $1::int + $2::int AS sum, $3::text[] AS words", [2, "40", ["a", "b c"]]);
found.full = await neon(url, { fullResults: true, arrayMode: true })`SELECT id, body FROM notes`;
found.date = (await sql`SELECT timestamptz '2026-03-02 09:00:00+02' AS at`)[0].at.toISOString();

let page = await sql`SELECT slug FROM tenants ORDER BY slug LIMIT 10`;
found.pages = [];
while (page.length) {
  found.pages.push(page.map((row) => row.slug));
  page = await sql`SELECT slug FROM tenants WHERE slug > ${page.at(-1).slug} ORDER BY slug LIMIT 10`;
}
found.total = (await sql`SELECT count(*)::int AS n FROM tenants`)[0].n;

found.batch = await sql.transaction([sql`INSERT INTO notes (body) VALUES ('two')`, sql`SELECT count(*)::int AS n FROM notes`]);
found.batchRefused = await refused(() => sql.transaction([sql`INSERT INTO notes (body) VALUES ('three')`, sql`INSERT INTO notes (body) VALUES ('two')`]));
found.afterRefused = await sql`SELECT body FROM notes ORDER BY id`;
found.readOnly = await refused(() => sql.transaction([sql`DELETE FROM notes`], { readOnly: true }));
found.duplicate = await refused(() => sql`INSERT INTO notes (body) VALUES ('two')`);
found.syntax = await refused(() => sql`SELEC 1`);
found.missing = await refused(() => sql`SELECT * FROM nosuch`);
found.stranger = await refused(() => neon("postgresql://nobody:x@db.example.com/app")`SELECT 1`);
found.noDatabase = await refused(() => neon("postgresql://postgres:x@db.example.com/nosuch")`SELECT 1`);
found.deleted = await neon(url, { fullResults: true })`DELETE FROM notes WHERE id = ${1}`;
console.log(JSON.stringify(found));
