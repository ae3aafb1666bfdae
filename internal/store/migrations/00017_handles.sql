-- What the handles of messages in an answer mean, as JSON: a resumed turn may show other messages.
ALTER TABLE rounds ADD COLUMN handles TEXT NOT NULL DEFAULT 'null';
