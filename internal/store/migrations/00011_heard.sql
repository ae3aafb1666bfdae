-- How far each server has been heard: what was made there before this message is known to
-- the marks, or was out of sight. What is fetched does not count, since it says nothing
-- about other channels. It is written together with the marks that it relies on.
CREATE TABLE heard (
	guild   TEXT   NOT NULL PRIMARY KEY, -- empty for direct messages
	message BIGINT NOT NULL
);

INSERT INTO heard (guild, message) SELECT guild, MAX(message) FROM marks GROUP BY guild;
