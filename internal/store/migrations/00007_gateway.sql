-- Where the bot is in what Discord tells it: a single row, and none while it has no
-- session with Discord.
CREATE TABLE gateway (
	id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	owner    TEXT    NOT NULL, -- whose session it is, in a form that gives nothing away
	session  TEXT    NOT NULL,
	address  TEXT    NOT NULL, -- where it is taken up again
	sequence BIGINT  NOT NULL  -- up to here, everything was handled
);
