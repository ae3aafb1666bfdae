-- What the model wrote for its later turns about where it was, and the outside texts that may be in it, a line each.
ALTER TABLE talks ADD COLUMN capsule TEXT NOT NULL DEFAULT '';
ALTER TABLE talks ADD COLUMN capsule_outside TEXT NOT NULL DEFAULT '';
