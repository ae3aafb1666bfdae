-- What was said in conversations with the bot, until it is summed up and old.
CREATE TABLE exchanges (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	turn     TEXT   NOT NULL UNIQUE, -- so that a turn that is settled twice counts once
	talk     TEXT   NOT NULL,        -- the conversation: a channel or a thread
	guild    TEXT   NOT NULL,
	person   TEXT   NOT NULL,
	name     TEXT   NOT NULL,
	said     TEXT   NOT NULL,
	answer   TEXT   NOT NULL,
	at       BIGINT NOT NULL,
	public   BIGINT NOT NULL, -- 1 if everybody on the server may read it
	summed   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX exchanges_by_talk ON exchanges (talk, id) WHERE summed = 0;
CREATE INDEX exchanges_by_person ON exchanges (person, guild, at);
CREATE INDEX exchanges_by_age ON exchanges (at);

-- The summary of each conversation.
CREATE TABLE talks (
	talk    TEXT   NOT NULL PRIMARY KEY,
	summary TEXT   NOT NULL,
	people  TEXT   NOT NULL, -- who spoke, IDs with spaces around each
	at      BIGINT NOT NULL
);
