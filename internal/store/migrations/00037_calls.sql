-- The function calls that came with an answer, as JSON; empty for none.
ALTER TABLE rounds ADD COLUMN calls TEXT NOT NULL DEFAULT '';
