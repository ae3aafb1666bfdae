-- Pictures that were asked for in the last days, for the limits on their number. Times are microseconds since 1970.
CREATE TABLE images (
	turn   TEXT   NOT NULL,
	part   TEXT   NOT NULL, -- names the request within its turn, so that a resumed turn does not pay again
	at     BIGINT NOT NULL,
	guild  TEXT   NOT NULL,
	person TEXT   NOT NULL, -- empty for people who were erased
	PRIMARY KEY (turn, part)
) WITHOUT ROWID;
