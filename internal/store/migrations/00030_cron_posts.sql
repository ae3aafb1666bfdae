-- A job rests if it was paused by a request, or if a person has archived its post. Since when is one moment for both.
ALTER TABLE crons ADD COLUMN rests BIGINT NOT NULL DEFAULT 0;
ALTER TABLE crons ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE crons SET rests = paused;
UPDATE crons SET paused = 1 WHERE paused <> 0;

-- Posts of the forum of scheduled jobs: those of jobs, and those of people that are to become jobs.
CREATE TABLE cron_posts (
	id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: keys of messages and questions have it
	guild   TEXT    NOT NULL,
	thread  TEXT    NOT NULL, -- empty before it is made
	job     TEXT    NOT NULL, -- empty if there is none yet, or none any more
	owner   TEXT    NOT NULL, -- the person whose post it is; empty for the bot's
	begun   BIGINT  NOT NULL, -- when a post was asked for of which it is unknown whether it was made
	base    TEXT    NOT NULL, -- the post when it and the job last agreed, as JSON
	sent    TEXT    NOT NULL, -- the post as an edit leaves it of which it is unknown whether it was made, as JSON; empty for none
	message TEXT    NOT NULL, -- the bot's message that shows the job
	read    TEXT    NOT NULL, -- hash of the person's text that was read last
	agreed  TEXT    NOT NULL, -- what the person's text said when it was last confirmed, as JSON; empty for nothing
	draft   TEXT    NOT NULL  -- what it says now, which waits for the person, as JSON; empty for nothing
);

CREATE INDEX cron_posts_by_guild ON cron_posts (guild);
CREATE UNIQUE INDEX cron_posts_by_thread ON cron_posts (thread) WHERE thread <> '';
CREATE UNIQUE INDEX cron_posts_by_job ON cron_posts (job) WHERE job <> '';

-- What a question is about: its answer goes to that part of the bot, and not to the model.
ALTER TABLE choices ADD COLUMN about TEXT NOT NULL DEFAULT '';
