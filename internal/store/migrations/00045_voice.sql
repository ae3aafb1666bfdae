CREATE TABLE transcripts (
	-- What was said to the bot in calls, and what it answered. There is never any sound.
	turn     TEXT   NOT NULL PRIMARY KEY,
	guild    TEXT   NOT NULL,
	channel  TEXT   NOT NULL,
	person   TEXT   NOT NULL,
	said     TEXT   NOT NULL,
	answered TEXT   NOT NULL,
	at       BIGINT NOT NULL,
	outside  TEXT   NOT NULL -- chat.Sources
);
CREATE INDEX transcripts_by_guild ON transcripts (guild, at);
CREATE INDEX transcripts_by_age ON transcripts (at);
CREATE TABLE unheard (
	-- People who do not want the bot to hear them in calls.
	person TEXT   NOT NULL PRIMARY KEY,
	since  BIGINT NOT NULL
);
-- What was spent on sound: how long it was that was recognised, and the characters that were spoken.
ALTER TABLE spending ADD COLUMN sound BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spending ADD COLUMN characters BIGINT NOT NULL DEFAULT 0;
