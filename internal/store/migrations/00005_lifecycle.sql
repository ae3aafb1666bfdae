-- Replies that are being written. One that is here when the bot starts was never
-- finished.
CREATE TABLE inflight (
	message TEXT   NOT NULL PRIMARY KEY, -- that carries the reply
	channel TEXT   NOT NULL,
	began   BIGINT NOT NULL              -- microseconds since 1970
);

-- How the bot is, or how it ended last: a single row, and none before its first start.
CREATE TABLE lifetime (
	id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	state   TEXT    NOT NULL, -- running, stopped or restarting
	by_id   TEXT    NOT NULL DEFAULT '', -- from here on, of a restart alone: who asked for it
	by_name TEXT    NOT NULL DEFAULT '',
	asked   TEXT    NOT NULL DEFAULT '', -- the message in which they did
	channel TEXT    NOT NULL DEFAULT '', -- where the bot said that it restarts
	notice  TEXT    NOT NULL DEFAULT '', -- the message in which it said so
	at      BIGINT  NOT NULL             -- since when it is so, in microseconds since 1970
);
