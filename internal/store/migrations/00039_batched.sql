-- The messages of a turn that answers several, so that it is found by each of them.
CREATE TABLE batched (
	message TEXT NOT NULL,
	turn    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
	PRIMARY KEY (message, turn)
);

CREATE INDEX batched_by_turn ON batched (turn);
