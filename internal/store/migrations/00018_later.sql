-- The channel in which a deferred run was asked for. Empty in rows of earlier versions.
ALTER TABLE deferrals ADD COLUMN asked_in TEXT NOT NULL DEFAULT '';
