-- The card that forging has posted, as JSON, while it may still change; empty for none.
ALTER TABLE plan_work ADD COLUMN card TEXT NOT NULL DEFAULT '';
