-- Summaries of conversations that newer ones have replaced.
CREATE TABLE old_summaries (
	talk    TEXT   NOT NULL,
	summary TEXT   NOT NULL,
	people  TEXT   NOT NULL, -- as in talks
	written BIGINT NOT NULL,
	at      BIGINT NOT NULL  -- when it was replaced
);
CREATE INDEX old_summaries_by_talk ON old_summaries (talk);
CREATE INDEX old_summaries_by_age ON old_summaries (at);
