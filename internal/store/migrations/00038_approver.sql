-- Who approved an action on a card; empty for one that needed no approval, or does not have it yet.
ALTER TABLE actions ADD COLUMN approver TEXT NOT NULL DEFAULT '';
