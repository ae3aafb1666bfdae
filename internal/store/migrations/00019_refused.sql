-- Who answered a question and lacked the right to what it led to: a list in JSON. The question was
-- opened again after that, but not for them.
ALTER TABLE choices ADD COLUMN refused TEXT NOT NULL DEFAULT 'null';
ALTER TABLE answered ADD COLUMN refused TEXT NOT NULL DEFAULT 'null';
