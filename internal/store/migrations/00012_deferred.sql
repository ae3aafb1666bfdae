-- What a post says, while nobody knows whether it arrived: by then, whoever goes on with
-- the turn may want to say it in other words.
ALTER TABLE posts ADD COLUMN text TEXT NOT NULL DEFAULT '';
