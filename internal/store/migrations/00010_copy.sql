-- Has a row in a copy of the database alone: when it was made, in microseconds since
-- 1970. Who goes on with a copy first lets go of what was unfinished then, and of this.
CREATE TABLE copied (
	id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	made BIGINT  NOT NULL
);
