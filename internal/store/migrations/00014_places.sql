-- The whole place of an event: what is left of an earlier process waits for its server, and a
-- message is looked for in its channel.
ALTER TABLE inbox ADD COLUMN guild TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN parent TEXT NOT NULL DEFAULT '';

-- Until now the guild stood in the body alone: in its place, or in the deferred job itself.
UPDATE inbox SET
	guild = COALESCE(json_extract(body, '$.Place.Guild'), json_extract(body, '$.Guild'), ''),
	parent = COALESCE(json_extract(body, '$.Place.Parent'), '')
WHERE body <> '' AND json_valid(body);

CREATE INDEX inbox_by_message ON inbox (channel, message);
