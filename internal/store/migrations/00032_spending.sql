-- What calls of models cost. Times are microseconds since 1970.
CREATE TABLE spending (
	id      INTEGER PRIMARY KEY,
	at      BIGINT  NOT NULL,
	day     TEXT    NOT NULL, -- in the bot's time zone, as in 2026-11-16
	person  TEXT    NOT NULL, -- empty for the bot's own work, and for people who were erased
	channel TEXT    NOT NULL,
	job     TEXT    NOT NULL,
	turn    TEXT    NOT NULL,
	role    TEXT    NOT NULL,
	runtime TEXT    NOT NULL,
	model   TEXT    NOT NULL,
	input   BIGINT  NOT NULL, -- tokens, all of them
	cached  BIGINT  NOT NULL, -- the part that the vendor had in its cache
	output  BIGINT  NOT NULL,
	usd     REAL              -- unknown for a model without a price
);

CREATE INDEX spending_by_day ON spending (day);
