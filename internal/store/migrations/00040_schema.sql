-- The tables that databases have had since version 40. In all of them times are microseconds since 1970, durations are
-- microseconds, lists are JSON, and empty text means unknown or not applicable, where nothing else is said.

CREATE TABLE turns (
	-- A turn from its first action on. Took is null until it is over; if it stays so, the process ended before.
	id             TEXT   NOT NULL PRIMARY KEY,
	flow           TEXT   NOT NULL,
	guild          TEXT   NOT NULL,
	channel        TEXT   NOT NULL,
	message        TEXT   NOT NULL, -- the one that began it
	requester      TEXT   NOT NULL,
	requester_name TEXT   NOT NULL,
	began          BIGINT NOT NULL,
	took           BIGINT,
	model          TEXT   NOT NULL DEFAULT '',
	input_tokens   BIGINT NOT NULL DEFAULT 0,
	output_tokens  BIGINT NOT NULL DEFAULT 0,
	sections       TEXT   NOT NULL DEFAULT '[]', -- name and bytes of each part of the prompt
	requests       BIGINT NOT NULL DEFAULT 0,    -- to Discord
	malformed      BIGINT NOT NULL DEFAULT 0,    -- blocks that were no request
	stripped       TEXT   NOT NULL DEFAULT '[]', -- type and reason of each request that was taken out
	error          TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX turns_by_channel ON turns (channel, began);
CREATE INDEX turns_by_message ON turns (message);
CREATE INDEX turns_by_age ON turns (began);
CREATE TABLE answers (
	-- The messages that carry the answer of a turn.
	message TEXT NOT NULL,
	turn    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
	PRIMARY KEY (message, turn)
);
CREATE INDEX answers_by_turn ON answers (turn);
CREATE TABLE actions (
	turn     TEXT   NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
	number   BIGINT NOT NULL, -- in the order in which they settled, from 1
	type     TEXT   NOT NULL,
	category TEXT   NOT NULL,
	args     TEXT   NOT NULL, -- as decoded, without secrets
	verdict  TEXT   NOT NULL, -- of the gate
	outcome  TEXT   NOT NULL,
	line     TEXT   NOT NULL, -- as the model saw it
	at       BIGINT NOT NULL,
	took     BIGINT NOT NULL,
	inverses TEXT,            -- requests that take it back; null if there are none
	undone   BIGINT,          -- when they were run
	approver TEXT   NOT NULL DEFAULT '', -- on a card; empty for an action that needed no approval, or does not have it yet
	PRIMARY KEY (turn, number)
);
CREATE TABLE choices (
	-- Questions that wait for a reaction. An answer deletes the row, so that each is answered once.
	message   TEXT   NOT NULL PRIMARY KEY, -- the one that asks
	channel   TEXT   NOT NULL,
	guild     TEXT   NOT NULL,
	requester TEXT   NOT NULL, -- for whom the bot asks; anybody who is let in may answer
	question  TEXT   NOT NULL,
	emoji     TEXT   NOT NULL, -- the choices, a list in JSON
	asked     BIGINT NOT NULL,
	refused   TEXT   NOT NULL DEFAULT 'null', -- who answered and lacked the right to what it led to, a list in JSON: it is closed to them
	prompters TEXT   NOT NULL DEFAULT '', -- whose questions had been answered when a turn asked this one, IDs with spaces between them
	outside   TEXT   NOT NULL DEFAULT '', -- the outside texts that were read before, a line each; so in other tables
	about     TEXT   NOT NULL DEFAULT '', -- the part of the bot that gets the answer; empty for the model
	depth     BIGINT NOT NULL DEFAULT 0   -- of the turn that asks, for the turn that answers
);
CREATE INDEX choices_by_age ON choices (asked);
CREATE TABLE questions (
	-- Cards: actions that wait for approval.
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
	told      BIGINT NOT NULL, -- 1 when it says so
	outside   TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX questions_by_state ON questions (state, expires);
CREATE TABLE deferrals (
	-- Turns that begin later, each once. When one begins, it moves to the inbox.
	id        INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: people call them by it
	guild     TEXT   NOT NULL,
	channel   TEXT   NOT NULL, -- where the turn is had
	name      TEXT   NOT NULL, -- of the channel, when it was asked for
	prompt    TEXT   NOT NULL,
	requester TEXT   NOT NULL, -- in whose name it is had
	prompter  TEXT   NOT NULL, -- whose question they had answered; mostly empty
	turn      TEXT   NOT NULL, -- in which it was asked for
	due       BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	asked_in  TEXT   NOT NULL DEFAULT '', -- the channel in which it was asked for
	outside   TEXT   NOT NULL DEFAULT ''
);
CREATE TABLE answered (
	-- Questions that were answered by a reaction. A further choice has no effect.
	message TEXT   NOT NULL PRIMARY KEY, -- the one that asked
	emoji   TEXT   NOT NULL,             -- the choices, a list in JSON
	asked   BIGINT NOT NULL,
	refused TEXT   NOT NULL DEFAULT 'null' -- as in choices
);
CREATE INDEX answered_by_age ON answered (asked);
CREATE TABLE posts (
	-- Messages that are posted once. Without a message it is unknown whether the post arrived.
	turn    TEXT   NOT NULL,
	part    TEXT   NOT NULL, -- of the turn: names the post
	channel TEXT   NOT NULL,
	message TEXT   NOT NULL DEFAULT '',
	began   BIGINT NOT NULL, -- before it was sent for the first time
	tried   BIGINT NOT NULL, -- before it was sent for the last time
	text    TEXT   NOT NULL DEFAULT '', -- while it is unknown whether it arrived: a resumed turn may word it differently
	inflight BIGINT NOT NULL DEFAULT 0, -- 1 for the placeholder of an answer, until its turn is closed
	PRIMARY KEY (turn, part)
);
CREATE INDEX posts_by_channel ON posts (channel, message);
CREATE INDEX posts_by_age ON posts (began);
CREATE TABLE rounds (
	-- What the model answered, each time it was asked, so that another process can resume the turn.
	turn          TEXT   NOT NULL,
	round         BIGINT NOT NULL, -- from 0
	answer        TEXT   NOT NULL, -- as the model wrote it
	pictures      BIGINT NOT NULL, -- how many came with it; they are not kept
	input_tokens  BIGINT NOT NULL,
	output_tokens BIGINT NOT NULL,
	delivered     TEXT   NOT NULL DEFAULT '', -- the receipt, as JSON; empty if the reader may not have seen it
	at            BIGINT NOT NULL,
	handles       TEXT   NOT NULL DEFAULT 'null', -- what the handles of messages in it mean, as JSON: a resumed turn may show other messages
	outside       TEXT   NOT NULL DEFAULT '',
	calls         TEXT   NOT NULL DEFAULT '', -- the function calls that came with it, as JSON; empty for none
	PRIMARY KEY (turn, round)
);
CREATE INDEX rounds_by_age ON rounds (at);
CREATE TABLE steps (
	-- What an answer asked for, from the moment its execution began.
	turn    TEXT   NOT NULL,
	round   BIGINT NOT NULL,
	request TEXT   NOT NULL, -- names it among those of the answer
	record  TEXT   NOT NULL DEFAULT '', -- what became of it, as JSON; empty until that is known
	PRIMARY KEY (turn, round, request),
	FOREIGN KEY (turn, round) REFERENCES rounds (turn, round) ON DELETE CASCADE
);
CREATE TABLE inbox (
	-- Events to handle, each once. A row stays for some days after it is settled, so that a repeated event is recognized.
	number   INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of acceptance
	id       TEXT   NOT NULL UNIQUE,
	dedupe_key TEXT NOT NULL, -- tells what can happen again from what is told again; empty if it cannot
	kind     TEXT   NOT NULL, -- message, command, slash or reaction
	state    TEXT   NOT NULL, -- received, running, answered or failed
	channel  TEXT   NOT NULL,
	message  TEXT   NOT NULL, -- that it is, or is about; empty for none
	turn     TEXT   NOT NULL, -- that it has, together with others of the same turn
	body     TEXT   NOT NULL, -- JSON: what is needed to do it again; empty once settled
	attempts BIGINT NOT NULL DEFAULT 0, -- how often its turn was begun, plus 1000 for each try that could not post its answer
	begun    BIGINT NOT NULL DEFAULT 0, -- when its turn was begun for the first time
	accepted BIGINT NOT NULL,
	settled  BIGINT NOT NULL DEFAULT 0,
	guild    TEXT   NOT NULL DEFAULT '',
	parent   TEXT   NOT NULL DEFAULT '' -- of a thread, its channel
);
CREATE INDEX inbox_unfinished ON inbox (number) WHERE state IN ('received', 'running');
CREATE INDEX inbox_by_age ON inbox (accepted);
CREATE TABLE watermarks (
	-- How far each channel has been read: up to its latest message that was accepted, or ignored on purpose.
	channel TEXT   NOT NULL PRIMARY KEY,
	guild   TEXT   NOT NULL, -- empty for direct messages
	message BIGINT NOT NULL
);
CREATE TABLE copied (
	-- A copy of the database has a row here: when it was made. Adopting the copy deletes it, with what was unfinished then.
	id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	made BIGINT  NOT NULL
);
CREATE TABLE heard (
	-- Up to which message each server was heard. Messages that were fetched do not count, since they tell nothing about
	-- other channels. It is committed together with the watermarks that it relies on.
	guild   TEXT   NOT NULL PRIMARY KEY, -- empty for direct messages
	message BIGINT NOT NULL
);
CREATE INDEX deferrals_by_time ON deferrals (due);
CREATE INDEX posts_in_flight ON posts (began) WHERE inflight = 1;
CREATE INDEX inbox_by_message ON inbox (channel, message);
CREATE TABLE cells (
	-- Single values: the session with Discord, and how the bot ended.
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL -- JSON
);
CREATE INDEX inbox_by_dedupe_key ON inbox (dedupe_key, number) WHERE dedupe_key <> '';
CREATE TABLE reminders (
	-- A row stays until its post is known to be there, or will never be.
	id        INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: people call them by it
	guild     TEXT   NOT NULL, -- empty for direct messages
	channel   TEXT   NOT NULL, -- where it is posted
	asked_in  TEXT   NOT NULL, -- the channel in which it was asked for
	recipient TEXT   NOT NULL, -- who is reminded
	requester TEXT   NOT NULL, -- who asked for it
	text      TEXT   NOT NULL,
	due       BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	tried     BIGINT NOT NULL DEFAULT 0, -- 1 if it may have been posted
	outside   TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX reminders_by_time ON reminders (due);
CREATE INDEX reminders_by_requester ON reminders (requester);
CREATE TABLE sent (
	-- Messages that actions sent, which are the only ones that a model may edit. Kept forever: people ask for changes of old ones.
	channel TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (channel, message)
);
CREATE TABLE retold (
	-- Messages of the bot that were written after outside text had been read, and may repeat it.
	message TEXT    PRIMARY KEY,
	outside TEXT    NOT NULL, -- chat.Sources
	at      INTEGER NOT NULL
);
CREATE TABLE memories (
	-- What the bot remembers about people.
	person     TEXT   NOT NULL,
	id         TEXT   NOT NULL, -- of its kind and text
	kind       TEXT   NOT NULL,
	text       TEXT   NOT NULL,
	importance BIGINT NOT NULL, -- 1 to 3
	active     BIGINT NOT NULL, -- 0 if prompts do not have it any more
	source     TEXT   NOT NULL, -- command, action, talk or import
	guild      TEXT   NOT NULL, -- from here to message: where it was said
	channel    TEXT   NOT NULL,
	message    TEXT   NOT NULL,
	outside    TEXT   NOT NULL, -- the outside texts that had been read then
	created    BIGINT NOT NULL,
	updated    BIGINT NOT NULL,
	hits       BIGINT NOT NULL DEFAULT 0, -- how often it was about what was asked
	hit        BIGINT NOT NULL DEFAULT 0, -- when it was last
	PRIMARY KEY (person, id)
);
CREATE TABLE exchanges (
	-- What was said in conversations with the bot, until it is summed up and old.
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	turn     TEXT   NOT NULL UNIQUE, -- so that a turn that is settled twice counts once
	talk     TEXT   NOT NULL,        -- the conversation: a channel or a thread
	guild    TEXT   NOT NULL,
	person   TEXT   NOT NULL,
	name     TEXT   NOT NULL,
	said     TEXT   NOT NULL,
	answer   TEXT   NOT NULL,
	at       BIGINT NOT NULL,
	public   BIGINT NOT NULL, -- 1 if everybody on the server may read it
	summed   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX exchanges_by_talk ON exchanges (talk, id) WHERE summed = 0;
CREATE INDEX exchanges_by_person ON exchanges (person, guild, at);
CREATE INDEX exchanges_by_age ON exchanges (at);
CREATE TABLE talks (
	-- The summary of each conversation.
	talk    TEXT   NOT NULL PRIMARY KEY,
	summary TEXT   NOT NULL,
	people  TEXT   NOT NULL, -- who spoke, IDs with spaces around each
	at      BIGINT NOT NULL,
	capsule TEXT   NOT NULL DEFAULT '', -- what the model wrote for its later turns about where it was
	capsule_outside TEXT NOT NULL DEFAULT ''
);
CREATE TABLE recall (
	-- Old talk, for recall. A row is one message, or a part of a long one.
	id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never the same twice: vectors are made in its order
	guild   TEXT   NOT NULL,
	room    TEXT   NOT NULL, -- whose permissions decide who may read it: the channel, that of a public thread, or a private thread
	channel TEXT   NOT NULL, -- of a thread, its own ID
	message TEXT   NOT NULL,
	author  TEXT   NOT NULL,
	asker   TEXT   NOT NULL, -- of an answer of the bot: for whom it was; otherwise empty
	name    TEXT   NOT NULL, -- of the author, at the time
	created BIGINT NOT NULL,
	seen    BIGINT NOT NULL, -- the stretch without a gap in which the message was last known to be there
	outside TEXT   NOT NULL, -- the outside texts in it, a line each
	text    TEXT   NOT NULL,
	grams   TEXT   NOT NULL  -- pairs of letters of scripts without spaces
);
CREATE INDEX recall_by_message ON recall (message);
CREATE INDEX recall_by_room ON recall (room, channel);
CREATE INDEX recall_by_author ON recall (author);
CREATE INDEX recall_by_asker ON recall (asker) WHERE asker <> '';
CREATE TABLE recall_parts (
	-- The further messages of a long answer of the bot: deleting one of them removes the answer.
	message TEXT NOT NULL PRIMARY KEY,
	answer  TEXT NOT NULL -- recall.message
);
CREATE INDEX recall_parts_by_answer ON recall_parts (answer);
CREATE TABLE recall_vectors (
	-- Embeddings, a signed byte for each dimension.
	id     INTEGER PRIMARY KEY, -- recall.id
	room   TEXT NOT NULL,
	vector BLOB NOT NULL
);
CREATE TABLE recall_meta (
	-- Single values: the current stretch, the model of the vectors, and up to which row there are vectors.
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
);
CREATE VIRTUAL TABLE recall_words USING fts5 (text, grams, content='recall', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
CREATE TRIGGER recall_added AFTER INSERT ON recall BEGIN
	INSERT INTO recall_words (rowid, text, grams) VALUES (new.id, new.text, new.grams);
END;
CREATE TRIGGER recall_removed AFTER DELETE ON recall BEGIN
	INSERT INTO recall_words (recall_words, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams);
	DELETE FROM recall_vectors WHERE id = old.id;
	DELETE FROM recall_parts WHERE answer = old.message;
END;
CREATE TABLE tasks (
	-- Tasks, and the forum posts that mirror them. Times are 0 for none.
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
CREATE TABLE task_numbers (
	-- The last number of each prefix. None is given twice.
	prefix TEXT   PRIMARY KEY,
	last   BIGINT NOT NULL
);
CREATE TABLE task_refusals (
	-- Posts in a task forum by people who may make no tasks. Each is told so once.
	thread TEXT PRIMARY KEY
);
CREATE TABLE old_summaries (
	-- Summaries of conversations that newer ones have replaced.
	talk    TEXT   NOT NULL,
	summary TEXT   NOT NULL,
	people  TEXT   NOT NULL, -- as in talks
	written BIGINT NOT NULL,
	at      BIGINT NOT NULL  -- when it was replaced
);
CREATE INDEX old_summaries_by_talk ON old_summaries (talk);
CREATE INDEX old_summaries_by_age ON old_summaries (at);
CREATE TABLE crons (
	-- Scheduled jobs. Times are 0 for none.
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
	updated     BIGINT NOT NULL,
	rests       BIGINT NOT NULL DEFAULT 0, -- since when it was paused by a request, or its post archived; one moment for both
	archived    BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX crons_by_guild ON crons (guild, created, id);
CREATE INDEX crons_by_next ON crons (next) WHERE next <> 0;
CREATE INDEX crons_again ON crons (id) WHERE again <> '';
CREATE UNIQUE INDEX crons_by_request ON crons (dedupe) WHERE dedupe <> '';
CREATE TABLE cron_runs (
	-- The runs that have ended.
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
CREATE TABLE cron_posts (
	-- Posts of the forum of scheduled jobs: those of jobs, and those of people that are to become jobs.
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
CREATE TABLE cron_hooks (
	-- The webhooks of jobs. A secret is in no other table.
	job    TEXT   PRIMARY KEY,
	secret TEXT   NOT NULL,
	active BIGINT NOT NULL -- 1 if calls begin the runs of the job; 0 if something else does by now
);
CREATE TABLE cron_calls (
	-- The calls of webhooks that were accepted.
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
CREATE TABLE spending (
	-- What calls of models cost.
	id      INTEGER PRIMARY KEY,
	at      BIGINT  NOT NULL,
	day     TEXT    NOT NULL, -- in the bot's time zone, as in 2026-11-16
	person  TEXT    NOT NULL, -- empty for the bot's own work, and for people who were erased
	channel TEXT    NOT NULL,
	job     TEXT    NOT NULL,
	turn    TEXT    NOT NULL,
	role    TEXT    NOT NULL,
	runtime TEXT    NOT NULL,
	model   TEXT    NOT NULL,
	input   BIGINT  NOT NULL, -- tokens, all of them
	cached  BIGINT  NOT NULL, -- the part that the vendor had in its cache
	output  BIGINT  NOT NULL,
	usd     REAL              -- unknown for a model without a price
);
CREATE INDEX spending_by_day ON spending (day);
CREATE TABLE images (
	-- Pictures that were asked for in the last days, for the limits on their number.
	turn   TEXT   NOT NULL,
	part   TEXT   NOT NULL, -- names the request within its turn, so that a resumed turn does not pay again
	at     BIGINT NOT NULL,
	guild  TEXT   NOT NULL,
	person TEXT   NOT NULL, -- empty for people who were erased
	PRIMARY KEY (turn, part)
) WITHOUT ROWID;
CREATE TABLE plans (
	-- The row is the authority on the status; the file in the folder of plans shows it, and people edit the rest there.
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
CREATE TABLE plan_work (
	-- Work on plans that models do: forging and running. A row that is not over is a lease.
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
	outcome  TEXT   NOT NULL,
	said     TEXT   NOT NULL DEFAULT '' -- what its message has to show now that it is over; empty as soon as it does
);
CREATE UNIQUE INDEX plan_work_on_plan ON plan_work (plan) WHERE over = 0;
CREATE UNIQUE INDEX plan_work_forge ON plan_work (kind) WHERE over = 0 AND kind = 'forge';
CREATE UNIQUE INDEX plan_work_by_dedupe ON plan_work (dedupe) WHERE dedupe <> '';
CREATE TABLE batched (
	-- The messages of a turn that answers several, so that it is found by each of them.
	message TEXT NOT NULL,
	turn    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
	PRIMARY KEY (message, turn)
);
CREATE INDEX batched_by_turn ON batched (turn);
CREATE TABLE directs (
	-- The direct messages that the bot has opened, so that it opens each of them once.
	person  TEXT NOT NULL PRIMARY KEY,
	channel TEXT NOT NULL
);
