-- A question is about actions that wait for a person's word. Times are microseconds
-- since 1970.
CREATE TABLE questions (
	token     TEXT   NOT NULL PRIMARY KEY,
	state     TEXT   NOT NULL, -- open, running, done, rejected, expired, interrupted or unasked
	flow      TEXT   NOT NULL, -- from here to requester: where the actions come from
	guild     TEXT   NOT NULL,
	channel   TEXT   NOT NULL,
	parent    TEXT   NOT NULL,
	message   TEXT   NOT NULL,
	requester TEXT   NOT NULL,
	asker     TEXT   NOT NULL, -- their name
	prompter  TEXT   NOT NULL, -- whose question they had answered; mostly empty
	depth     BIGINT NOT NULL,
	turn      TEXT   NOT NULL,
	undoes    TEXT   NOT NULL, -- the turn that it would take back, a slash, and the numbers of its actions; empty for all but !undo
	items     TEXT   NOT NULL, -- type, arguments and description of each action, as JSON
	remarks   TEXT   NOT NULL, -- what the card says besides, as a JSON list
	card      TEXT   NOT NULL, -- the message with the buttons; empty until it is posted
	asked     BIGINT NOT NULL,
	expires   BIGINT NOT NULL,
	verdict   TEXT   NOT NULL, -- what the card says in the end; empty until then
	told      BIGINT NOT NULL  -- 1 when it says so
);

CREATE INDEX questions_by_state ON questions (state, expires);
