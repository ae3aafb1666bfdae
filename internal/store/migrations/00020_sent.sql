-- Messages that actions sent: a text, a file, or the first message of a post. They are the only ones that
-- a model may edit. Kept without an age, since people ask for changes of old ones.
CREATE TABLE sent (
	channel TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (channel, message)
);

-- Whose questions had been answered when a turn asked this one; mostly empty, IDs with spaces between them.
ALTER TABLE choices ADD COLUMN prompters TEXT NOT NULL DEFAULT '';
