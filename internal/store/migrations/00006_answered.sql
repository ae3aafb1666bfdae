-- Questions that somebody has answered with a reaction. Who chooses once more, or too
-- late, leads to nothing.
CREATE TABLE answered (
	message TEXT   NOT NULL PRIMARY KEY, -- the one that asked
	emoji   TEXT   NOT NULL,             -- the choices, a list in JSON
	asked   BIGINT NOT NULL              -- microseconds since 1970
);

CREATE INDEX answered_by_age ON answered (asked);
