-- How many runs, each started by an action of the one before, led to the turn that asks: the turn that answers goes on from there.
ALTER TABLE choices ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;
