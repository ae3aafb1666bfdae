-- What is written down of a turn while it runs, so that another process can go on with
-- it. Times are microseconds since 1970.

-- Messages that are posted once. A row without a message is one of which nobody knows
-- whether it arrived.
CREATE TABLE posts (
	turn    TEXT   NOT NULL,
	part    TEXT   NOT NULL, -- of the turn: names the post
	channel TEXT   NOT NULL,
	message TEXT   NOT NULL DEFAULT '',
	began   BIGINT NOT NULL, -- before it was sent for the first time
	tried   BIGINT NOT NULL, -- before it was sent for the last time
	PRIMARY KEY (turn, part)
);

CREATE INDEX posts_by_channel ON posts (channel, message);
CREATE INDEX posts_by_age ON posts (began);

-- What the model answered, each time it was asked.
CREATE TABLE rounds (
	turn          TEXT   NOT NULL,
	round         BIGINT NOT NULL, -- from 0
	answer        TEXT   NOT NULL, -- as the model wrote it
	pictures      BIGINT NOT NULL, -- how many came with it; they are not kept
	input_tokens  BIGINT NOT NULL,
	output_tokens BIGINT NOT NULL,
	delivered     TEXT   NOT NULL DEFAULT '', -- the receipt, as JSON; empty if the reader may not have seen it
	at            BIGINT NOT NULL,
	PRIMARY KEY (turn, round)
);

CREATE INDEX rounds_by_age ON rounds (at);

-- What an answer asked for, from the moment it began to be done.
CREATE TABLE steps (
	turn    TEXT   NOT NULL,
	round   BIGINT NOT NULL,
	request TEXT   NOT NULL, -- names it among those of the answer
	record  TEXT   NOT NULL DEFAULT '', -- what became of it, as JSON; empty until that is known
	PRIMARY KEY (turn, round, request),
	FOREIGN KEY (turn, round) REFERENCES rounds (turn, round) ON DELETE CASCADE
);
