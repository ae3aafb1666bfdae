-- Times are microseconds since 1970, durations are microseconds. Empty text means
-- that something is not known or does not apply. Lists are JSON.

-- A turn is here from its first action on. What it took is null until it is over:
-- if it never is, the process ended before.
CREATE TABLE turns (
	id             TEXT   NOT NULL PRIMARY KEY,
	flow           TEXT   NOT NULL,
	guild          TEXT   NOT NULL,
	channel        TEXT   NOT NULL,
	message        TEXT   NOT NULL, -- the one that began it
	requester      TEXT   NOT NULL,
	requester_name TEXT   NOT NULL,
	began          BIGINT NOT NULL,
	took           BIGINT,
	model          TEXT   NOT NULL DEFAULT '',
	input_tokens   BIGINT NOT NULL DEFAULT 0,
	output_tokens  BIGINT NOT NULL DEFAULT 0,
	sections       TEXT   NOT NULL DEFAULT '[]', -- name and bytes of each part of the prompt
	requests       BIGINT NOT NULL DEFAULT 0,    -- to Discord
	malformed      BIGINT NOT NULL DEFAULT 0,    -- blocks that were no request
	stripped       TEXT   NOT NULL DEFAULT '[]', -- type and reason of each request that was taken out
	error          TEXT   NOT NULL DEFAULT ''
);

CREATE INDEX turns_by_channel ON turns (channel, began);
CREATE INDEX turns_by_message ON turns (message);
CREATE INDEX turns_by_age ON turns (began);

-- The messages that carry the answer of a turn.
CREATE TABLE answers (
	message TEXT NOT NULL,
	turn    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
	PRIMARY KEY (message, turn)
);

CREATE INDEX answers_by_turn ON answers (turn);

CREATE TABLE actions (
	turn     TEXT   NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
	number   BIGINT NOT NULL, -- in the order in which they settled, from 1
	type     TEXT   NOT NULL,
	category TEXT   NOT NULL,
	args     TEXT   NOT NULL, -- as decoded, without secrets
	verdict  TEXT   NOT NULL, -- of the gate
	outcome  TEXT   NOT NULL,
	line     TEXT   NOT NULL, -- as the model saw it
	at       BIGINT NOT NULL,
	took     BIGINT NOT NULL,
	inverses TEXT,            -- requests that take it back; null if there are none
	undone   BIGINT,          -- when they were run
	PRIMARY KEY (turn, number)
);
