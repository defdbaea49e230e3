ALTER TABLE lane ADD COLUMN source text NOT NULL DEFAULT 'benchmark';
