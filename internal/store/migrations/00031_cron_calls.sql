-- The webhooks of jobs. A secret is of no use but here, so it is in no other table.
CREATE TABLE cron_hooks (
	job    TEXT   PRIMARY KEY,
	secret TEXT   NOT NULL,
	active BIGINT NOT NULL -- 1 if calls begin the runs of the job; 0 if something else does by now
);

-- The calls of webhooks that were accepted. Times are microseconds since 1970.
CREATE TABLE cron_calls (
	id        INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: it names the event in the inbox
	job       TEXT    NOT NULL,
	signature TEXT    NOT NULL, -- hashed; a repeated one is refused as long as the row is there
	received  BIGINT  NOT NULL,
	state     TEXT    NOT NULL, -- waiting, running or over
	body      TEXT    NOT NULL  -- dropped when the run is over
);

CREATE UNIQUE INDEX cron_calls_by_signature ON cron_calls (job, signature);
CREATE INDEX cron_calls_waiting ON cron_calls (job, id) WHERE state = 'waiting';

CREATE TRIGGER cron_removed AFTER DELETE ON crons BEGIN
	DELETE FROM cron_hooks WHERE job = old.id;
	DELETE FROM cron_calls WHERE job = old.id;
END;
