-- A post that is the placeholder of an answer is in flight until its turn is closed. It takes
-- the place of a table of its own. A reply in that table that has no row among the posts could
-- not be written down there; its own ID names it.
ALTER TABLE posts ADD COLUMN inflight BIGINT NOT NULL DEFAULT 0;

UPDATE posts SET inflight = 1 WHERE message IN (SELECT message FROM inflight);
INSERT INTO posts (turn, part, channel, message, inflight, began, tried)
SELECT 'inflight', message, channel, message, 1, began, began FROM inflight
WHERE message NOT IN (SELECT message FROM posts);
DROP TABLE inflight;

CREATE INDEX posts_in_flight ON posts (began) WHERE inflight = 1;
