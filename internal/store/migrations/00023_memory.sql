-- What the bot remembers about people.
CREATE TABLE memories (
	person     TEXT   NOT NULL,
	id         TEXT   NOT NULL, -- of its kind and text
	kind       TEXT   NOT NULL,
	text       TEXT   NOT NULL,
	importance BIGINT NOT NULL, -- 1 to 3
	active     BIGINT NOT NULL, -- 0 if prompts do not have it any more
	source     TEXT   NOT NULL, -- command, action, talk or import
	guild      TEXT   NOT NULL, -- from here to message: where it was said
	channel    TEXT   NOT NULL,
	message    TEXT   NOT NULL,
	outside    TEXT   NOT NULL, -- the outside texts that had been read then
	created    BIGINT NOT NULL,
	updated    BIGINT NOT NULL,
	hits       BIGINT NOT NULL DEFAULT 0, -- how often it was about what was asked
	hit        BIGINT NOT NULL DEFAULT 0, -- when it was last
	PRIMARY KEY (person, id)
);
