CREATE TABLE named (
	-- Names that the bot gave to things on a server after outside text had been read, and that may repeat it.
	guild   TEXT   NOT NULL,
	name    TEXT   NOT NULL,
	outside TEXT   NOT NULL, -- chat.Sources
	at      BIGINT NOT NULL,
	PRIMARY KEY (guild, name)
);
