-- What people did that the bot takes up, each once. A row is here for some days after it
-- is settled, so that nothing is taken up twice; what was said is gone by then. Times are
-- microseconds since 1970.
CREATE TABLE inbox (
	number   INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of acceptance
	id       TEXT   NOT NULL UNIQUE,
	act      TEXT   NOT NULL, -- tells what can happen again from what is told again; empty if it cannot
	kind     TEXT   NOT NULL, -- message, command, slash or reaction
	state    TEXT   NOT NULL, -- received, running, answered or failed
	channel  TEXT   NOT NULL,
	message  TEXT   NOT NULL, -- that it is, or is about; empty for none
	turn     TEXT   NOT NULL, -- that it has, together with others of the same turn
	body     TEXT   NOT NULL, -- JSON: what is needed to do it again; empty once settled
	attempts BIGINT NOT NULL DEFAULT 0, -- how often its turn was begun
	begun    BIGINT NOT NULL DEFAULT 0, -- when its turn was begun for the first time
	accepted BIGINT NOT NULL,
	settled  BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX inbox_unfinished ON inbox (number) WHERE state IN ('received', 'running');
CREATE INDEX inbox_by_act ON inbox (act, number) WHERE act <> '';
CREATE INDEX inbox_by_age ON inbox (accepted);

-- How far each channel has been read: up to its latest message that was accepted, or
-- that the bot has left alone on purpose.
CREATE TABLE marks (
	channel TEXT   NOT NULL PRIMARY KEY,
	guild   TEXT   NOT NULL, -- empty for direct messages
	message BIGINT NOT NULL
);
