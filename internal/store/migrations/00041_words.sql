-- The words of the person who asked for a deferred run, if outside text had been read before.
ALTER TABLE deferrals ADD COLUMN words TEXT NOT NULL DEFAULT '';
