-- Work that is tracked, and the posts of a forum that mirror it. Times are microseconds since 1970, 0 for none.
CREATE TABLE tasks (
	id          TEXT   PRIMARY KEY, -- such as ws-001
	number      BIGINT NOT NULL,    -- the 1 in it
	guild       TEXT   NOT NULL,
	dedupe      TEXT   NOT NULL,    -- names the request that made it, so that a repeated one makes no second task; empty for none
	title       TEXT   NOT NULL,
	description TEXT   NOT NULL,
	status      TEXT   NOT NULL,
	done        BIGINT NOT NULL,    -- 1 if it is closed: the open ones come first in every index
	priority    BIGINT NOT NULL,
	labels      TEXT   NOT NULL,    -- a line each; task_labels finds them
	owner       TEXT   NOT NULL,    -- the assignee; empty for none
	due         BIGINT NOT NULL,
	due_by      TEXT   NOT NULL,    -- who set that date
	creator     TEXT   NOT NULL,
	thread      TEXT   NOT NULL,    -- its post; empty for none
	outside     TEXT   NOT NULL,    -- the outside texts that were read before it was written, a line each
	created     BIGINT NOT NULL,
	updated     BIGINT NOT NULL,
	closed      BIGINT NOT NULL,
	reason      TEXT   NOT NULL,    -- why it was closed

	version       BIGINT NOT NULL,           -- counts changes of the record
	synced        BIGINT NOT NULL DEFAULT 0, -- the version that the post shows
	begun         BIGINT NOT NULL DEFAULT 0, -- when a post was asked for of which it is unknown whether it was made
	base          TEXT   NOT NULL DEFAULT '', -- the post when record and post last agreed, as JSON
	sent          TEXT   NOT NULL DEFAULT '', -- the post as an edit leaves it of which it is unknown whether it was made, as JSON
	closed_posted BIGINT NOT NULL DEFAULT 0, -- the time of closing that the post was told of
	due_posted    BIGINT NOT NULL DEFAULT 0, -- the date of which people were told that it has come
	restored      BIGINT NOT NULL DEFAULT 0  -- 1 if this row is of a restored copy: what it does not know may have been posted
);

CREATE INDEX tasks_in_order ON tasks (guild, done, priority, number DESC);
CREATE INDEX tasks_by_status ON tasks (guild, status, priority, number DESC);
CREATE INDEX tasks_by_owner ON tasks (guild, owner, done, priority, number DESC);
CREATE UNIQUE INDEX tasks_by_thread ON tasks (thread) WHERE thread <> '';
CREATE UNIQUE INDEX tasks_by_request ON tasks (dedupe) WHERE dedupe <> '';
CREATE INDEX tasks_unsynced ON tasks (guild, number) WHERE version <> synced;
CREATE INDEX tasks_due ON tasks (due) WHERE due <> due_posted AND done = 0 AND thread <> '';

CREATE TABLE task_labels (
	guild    TEXT   NOT NULL,
	label    TEXT   NOT NULL, -- in small letters
	done     BIGINT NOT NULL,
	priority BIGINT NOT NULL,
	number   BIGINT NOT NULL,
	id       TEXT   NOT NULL,
	PRIMARY KEY (id, label)
);

CREATE INDEX task_labels_in_order ON task_labels (guild, label, done, priority, number DESC);

-- The last number of each prefix. None is given twice.
CREATE TABLE task_numbers (
	prefix TEXT   PRIMARY KEY,
	last   BIGINT NOT NULL
);

-- Posts in a task forum by people who make no tasks. They were told so, once.
CREATE TABLE task_refusals (
	thread TEXT PRIMARY KEY
);
