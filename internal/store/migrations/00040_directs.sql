-- The direct messages that the bot has opened, so that it opens each of them once.
CREATE TABLE directs (
	person  TEXT NOT NULL PRIMARY KEY,
	channel TEXT NOT NULL
);
