CREATE TABLE zones (
	-- The time zones that people have set for themselves.
	person TEXT NOT NULL PRIMARY KEY,
	zone   TEXT NOT NULL -- its name in the tz database
);
