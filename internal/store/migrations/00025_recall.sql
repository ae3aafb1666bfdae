-- Old talk, for recall. A row is one message, or a part of a long one. Times are microseconds since 1970.
CREATE TABLE recall (
	id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: vectors are made in its order
	guild   TEXT   NOT NULL,
	room    TEXT   NOT NULL, -- whose permissions decide who may read it: the channel, that of a public thread, or a private thread
	channel TEXT   NOT NULL, -- of a thread, its own ID
	message TEXT   NOT NULL,
	author  TEXT   NOT NULL,
	asker   TEXT   NOT NULL, -- of an answer of the bot: for whom it was; otherwise empty
	name    TEXT   NOT NULL, -- of the author, at the time
	created BIGINT NOT NULL,
	seen    BIGINT NOT NULL, -- the stretch without a gap in which the message was last known to be there
	outside TEXT   NOT NULL, -- the outside texts in it, a line each
	text    TEXT   NOT NULL,
	grams   TEXT   NOT NULL  -- pairs of letters of scripts without spaces
);

CREATE INDEX recall_by_message ON recall (message);
CREATE INDEX recall_by_room ON recall (room, channel);
CREATE INDEX recall_by_author ON recall (author);
CREATE INDEX recall_by_asker ON recall (asker) WHERE asker <> '';

-- The further messages of a long answer of the bot: deleting one of them removes the answer.
CREATE TABLE recall_parts (
	message TEXT NOT NULL PRIMARY KEY,
	answer  TEXT NOT NULL -- recall.message
);

CREATE INDEX recall_parts_by_answer ON recall_parts (answer);

-- Embeddings, a signed byte for each dimension.
CREATE TABLE recall_vectors (
	id     INTEGER PRIMARY KEY, -- recall.id
	room   TEXT NOT NULL,
	vector BLOB NOT NULL
);

-- Single values: the current stretch, the model of the vectors, and up to which row there are vectors.
CREATE TABLE recall_meta (
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
);

CREATE VIRTUAL TABLE recall_words USING fts5 (text, grams, content='recall', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');

CREATE TRIGGER recall_added AFTER INSERT ON recall BEGIN
	INSERT INTO recall_words (rowid, text, grams) VALUES (new.id, new.text, new.grams);
END;

CREATE TRIGGER recall_removed AFTER DELETE ON recall BEGIN
	INSERT INTO recall_words (recall_words, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams);
	DELETE FROM recall_vectors WHERE id = old.id;
	DELETE FROM recall_parts WHERE answer = old.message;
END;
