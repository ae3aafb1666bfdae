-- What the message of work on a plan has to show now that the work is over; empty as soon as it does.
ALTER TABLE plan_work ADD COLUMN said TEXT NOT NULL DEFAULT '';
