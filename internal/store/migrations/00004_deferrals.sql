-- Turns that begin later, each once. A row is here until its turn is over, or will
-- not happen any more. Times are microseconds since 1970.
CREATE TABLE deferrals (
	id        INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: people call them by it
	state     TEXT   NOT NULL, -- pending or running
	guild     TEXT   NOT NULL,
	channel   TEXT   NOT NULL, -- where the turn is had
	name      TEXT   NOT NULL, -- of the channel, when it was asked for
	prompt    TEXT   NOT NULL,
	requester TEXT   NOT NULL, -- in whose name it is had
	prompter  TEXT   NOT NULL, -- whose question they had answered; mostly empty
	turn      TEXT   NOT NULL, -- in which it was asked for
	due       BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	claimed   BIGINT NOT NULL  -- when it began to run; 0 until then
);

CREATE INDEX deferrals_by_time ON deferrals (state, due);
