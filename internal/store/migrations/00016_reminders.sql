-- What people want to be reminded of. A row is here until its post is known to be there, or it
-- will not be posted. Times are microseconds since 1970.
CREATE TABLE reminders (
	id        INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: people call them by it
	guild     TEXT   NOT NULL, -- empty for direct messages
	channel   TEXT   NOT NULL, -- where it is posted
	asked_in  TEXT   NOT NULL, -- the channel in which it was asked for
	recipient TEXT   NOT NULL, -- who is reminded
	requester TEXT   NOT NULL, -- who asked for it
	text      TEXT   NOT NULL,
	due       BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	tried     BIGINT NOT NULL DEFAULT 0 -- 1 if it may have been posted
);

CREATE INDEX reminders_by_time ON reminders (due);
CREATE INDEX reminders_by_requester ON reminders (requester);
