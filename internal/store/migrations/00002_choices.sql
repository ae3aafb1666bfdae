-- Questions that wait for somebody to answer with a reaction. Who answers takes the
-- row away, so each is answered once.
CREATE TABLE choices (
	message   TEXT   NOT NULL PRIMARY KEY, -- the one that asks
	channel   TEXT   NOT NULL,
	guild     TEXT   NOT NULL,
	requester TEXT   NOT NULL, -- for whom the bot asks; anybody who is let in may answer
	question  TEXT   NOT NULL,
	emoji     TEXT   NOT NULL, -- the choices, a list in JSON
	asked     BIGINT NOT NULL  -- microseconds since 1970
);

CREATE INDEX choices_by_age ON choices (asked);
