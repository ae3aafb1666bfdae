-- Single values share a table: the session with Discord, and how the bot ended.
CREATE TABLE cells (
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL -- JSON
);

INSERT INTO cells (name, value)
SELECT 'session', json_object('owner', owner, 'id', session, 'resume_url', address, 'sequence', sequence) FROM gateway;
DROP TABLE gateway;

INSERT INTO cells (name, value)
SELECT 'lifetime', json_object('State', state, 'At', at, 'By', json_object('ID', by_id, 'Name', by_name), 'Asked', asked, 'Channel', channel, 'Notice', notice)
FROM lifetime;
DROP TABLE lifetime;

-- The tables say what the code says.
ALTER TABLE marks RENAME TO watermarks;
ALTER TABLE inbox RENAME COLUMN act TO dedupe_key;
DROP INDEX inbox_by_act;
CREATE INDEX inbox_by_dedupe_key ON inbox (dedupe_key, number) WHERE dedupe_key <> '';
