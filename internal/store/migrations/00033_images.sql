-- Pictures that were asked for, for the limits on their number. Times are microseconds since 1970.
CREATE TABLE images (
	id     INTEGER PRIMARY KEY,
	at     BIGINT  NOT NULL,
	guild  TEXT    NOT NULL,
	person TEXT    NOT NULL, -- empty for people who were erased
	turn   TEXT    NOT NULL,
	part   TEXT    NOT NULL  -- names the request within its turn, so that a resumed turn does not pay again; empty if none is resumed
);

CREATE INDEX images_by_person ON images (person, at);
CREATE INDEX images_by_guild ON images (guild, at);
CREATE UNIQUE INDEX images_by_part ON images (turn, part) WHERE part <> '';
