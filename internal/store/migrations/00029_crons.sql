-- Jobs that run again and again. Times are microseconds since 1970, 0 for none.
CREATE TABLE crons (
	id          TEXT   PRIMARY KEY, -- such as cron-1a2b3c4d
	guild       TEXT   NOT NULL,
	dedupe      TEXT   NOT NULL,    -- names the request that made it, so that a repeated one makes no second job; empty for none
	author      TEXT   NOT NULL,    -- with whose rights it runs
	definition  TEXT   NOT NULL,    -- what it does and when, as JSON
	state       TEXT   NOT NULL,    -- what the model keeps from run to run, a JSON object; empty for none
	paused      BIGINT NOT NULL,    -- since when
	next        BIGINT NOT NULL,    -- its next slot
	last_slot   BIGINT NOT NULL,    -- its latest slot that was run, skipped or left out; none before it runs any more
	again       TEXT   NOT NULL,    -- a run that waits, because it was asked for or another job led to it, as JSON; empty for none
	triggered   TEXT   NOT NULL,    -- the last request to run it at once, so that a repeated one has no effect; empty for none
	runs        BIGINT NOT NULL,    -- how many there were
	last_run    BIGINT NOT NULL,
	last_status TEXT   NOT NULL,    -- success, error or canceled; empty before the first run
	last_error  TEXT   NOT NULL,
	created     BIGINT NOT NULL,
	updated     BIGINT NOT NULL
);

CREATE INDEX crons_by_guild ON crons (guild, created, id);
CREATE INDEX crons_by_next ON crons (next) WHERE next <> 0;
CREATE INDEX crons_again ON crons (id) WHERE again <> '';
CREATE UNIQUE INDEX crons_by_request ON crons (dedupe) WHERE dedupe <> '';

-- The runs that have ended.
CREATE TABLE cron_runs (
	event  TEXT   PRIMARY KEY, -- in the inbox
	job    TEXT   NOT NULL,
	slot   BIGINT NOT NULL,    -- when it was due
	why    TEXT   NOT NULL,    -- slot, manual, chain or webhook
	ended  BIGINT NOT NULL,
	status TEXT   NOT NULL,
	error  TEXT   NOT NULL,
	input  BIGINT NOT NULL,    -- tokens
	output BIGINT NOT NULL
);

CREATE INDEX cron_runs_by_job ON cron_runs (job, ended);
