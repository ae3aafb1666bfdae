-- Plans. The row is the authority on the status; the file in the folder of plans shows it, and people edit the rest there.
-- Times are microseconds since 1970.
CREATE TABLE plans (
	number   INTEGER PRIMARY KEY,
	guild    TEXT   NOT NULL,
	channel  TEXT   NOT NULL, -- where it was asked for
	author   TEXT   NOT NULL, -- empty for people who were erased
	dedupe   TEXT   NOT NULL, -- names the request that made it; empty for none
	status   TEXT   NOT NULL,
	task     TEXT   NOT NULL,
	approved TEXT   NOT NULL, -- the hash of what was approved; empty for nothing
	approver TEXT   NOT NULL,
	outside  TEXT   NOT NULL,
	file     TEXT   NOT NULL, -- name
	text     TEXT   NOT NULL,
	written  TEXT   NOT NULL, -- the hash of the file as it was last written or read; empty if the text has yet to be written
	phases   TEXT   NOT NULL, -- JSON; empty before it was divided
	created  BIGINT NOT NULL
);

CREATE UNIQUE INDEX plans_by_dedupe ON plans (dedupe) WHERE dedupe <> '';

-- Work on plans that models do: forging and running. A row that is not over is a lease.
CREATE TABLE plan_work (
	id       INTEGER PRIMARY KEY,
	plan     BIGINT NOT NULL,
	kind     TEXT   NOT NULL,
	dedupe   TEXT   NOT NULL, -- names the request that asked for it; empty for none
	guild    TEXT   NOT NULL,
	channel  TEXT   NOT NULL,
	parent   TEXT   NOT NULL,
	requester TEXT  NOT NULL,
	prompters TEXT  NOT NULL,
	job      TEXT   NOT NULL, -- the scheduled job that asked for it; empty for none
	outside  TEXT   NOT NULL,
	asked    TEXT   NOT NULL, -- what it is to do, as JSON
	state    TEXT   NOT NULL, -- how far it has come, as JSON
	message  TEXT   NOT NULL, -- that shows the progress
	attempts INTEGER NOT NULL, -- since it last came further
	began    BIGINT NOT NULL,
	over     BIGINT NOT NULL, -- 0 while it is not
	outcome  TEXT   NOT NULL
);

CREATE UNIQUE INDEX plan_work_on_plan ON plan_work (plan) WHERE over = 0;

CREATE UNIQUE INDEX plan_work_forge ON plan_work (kind) WHERE over = 0 AND kind = 'forge';

CREATE UNIQUE INDEX plan_work_by_dedupe ON plan_work (dedupe) WHERE dedupe <> '';
