-- A turn that was put off is in the inbox from the moment in which it begins, like every
-- other, and not in deferrals any more. What had begun before that was so is not begun
-- again, since nobody knows what it is called where it has left traces: it is given up, as
-- if it had been tried three times.
INSERT INTO inbox (id, act, kind, state, channel, message, turn, body, attempts, begun, accepted)
SELECT 'defer-' || id, '', 'deferred', 'running', channel, '', 'defer-' || id,
	json_object('ID', id, 'Guild', guild, 'Channel', channel, 'Name', name, 'Prompt', prompt,
		'Requester', requester, 'Prompter', prompter, 'Turn', turn,
		'Due', strftime('%Y-%m-%dT%H:%M:%SZ', due / 1000000, 'unixepoch'),
		'Created', strftime('%Y-%m-%dT%H:%M:%SZ', created / 1000000, 'unixepoch')),
	3, claimed, claimed
FROM deferrals WHERE state = 'running';
DELETE FROM deferrals WHERE state = 'running';

DROP INDEX deferrals_by_time;
ALTER TABLE deferrals DROP COLUMN state;
ALTER TABLE deferrals DROP COLUMN claimed;
CREATE INDEX deferrals_by_time ON deferrals (due);

-- What a post says, while nobody knows whether it arrived: by then, whoever goes on with
-- the turn may want to say it in other words.
ALTER TABLE posts ADD COLUMN text TEXT NOT NULL DEFAULT '';
