-- Messages of the bot that were written after outside text had been read, and may repeat it.
CREATE TABLE retold (
	message TEXT    PRIMARY KEY,
	outside TEXT    NOT NULL, -- chat.Sources
	at      INTEGER NOT NULL  -- microseconds since 1970
);
