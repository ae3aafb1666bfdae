-- The outside texts that were read before something was stored, a line each: whoever reads it later has read them, too.
ALTER TABLE rounds ADD COLUMN outside TEXT NOT NULL DEFAULT '';
ALTER TABLE questions ADD COLUMN outside TEXT NOT NULL DEFAULT '';
ALTER TABLE choices ADD COLUMN outside TEXT NOT NULL DEFAULT '';
ALTER TABLE deferrals ADD COLUMN outside TEXT NOT NULL DEFAULT '';
ALTER TABLE reminders ADD COLUMN outside TEXT NOT NULL DEFAULT '';
