package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Table says what a table has, and which of its rows are about a person, so that these can be exported and erased.
type Table struct {
	Name  string
	Holds string // what its rows have, for docs/privacy.md
	Until string // until when they stay, for a table without [DB.Retain]
	// Person is the condition of rows about a person, ?. Without it the table has none, because of Why.
	Person string
	Why    string
	Erase  string // erases them, in one statement or several with semicolons; empty means that the rows are deleted
	Erased string // what Erase does, for docs/privacy.md
}

// Tables declares every table. Rows that belong to others come before those.
var Tables = []Table{
	{Name: "memories", Holds: "what the bot remembers about you, and where you said it", Until: "until you erase it, or more than 200 are stored",
		Person: "person = ?"},
	{Name: "exchanges", Holds: "what you said to the bot and what it answered, for summaries and for your questions in other channels", Person: "person = ?"},
	{Name: "talks", Holds: "the summary of each conversation, who took part, and the bot's note on where it was", Until: "until a new one replaces it, or `!memory reset`",
		Person: "people LIKE '% ' || ? || ' %'"}, // a summary that holds an erased person is dropped whole
	{Name: "old_summaries", Holds: "summaries that newer ones have replaced", Person: "people LIKE '% ' || ? || ' %'"},
	{Name: "actions", Holds: "what the bot was asked to do: the action, its fields (shortened, without secrets), the result, how to undo it, and who approved it", Until: "as long as its turn",
		Person: "(turn IN (SELECT id FROM turns WHERE requester = ?) OR approver = ? AND approver <> '')",
		Erase:  "UPDATE actions SET approver = '' WHERE approver = ? AND approver <> ''", // those of their own turns are deleted with these
		Erased: "deleted with your turns; where you approved something for others, your ID is removed"},
	{Name: "answers", Holds: "which messages answered a turn", Until: "as long as its turn", Person: "turn IN (SELECT id FROM turns WHERE requester = ?)"},
	{Name: "batched", Holds: "which messages were answered together", Until: "as long as its turn", Person: "turn IN (SELECT id FROM turns WHERE requester = ?)"},
	{Name: "turns", Holds: "the record of each turn: who asked, where and when, the model, tokens, the sizes of the prompt's parts, and errors; no text of the conversation",
		Person: "requester = ?"},
	{Name: "reminders", Holds: "reminders: who asked, for whom, the text, and when", Until: "until it is posted, cancelled or given up", Person: "(requester = ? OR recipient = ?)"},
	{Name: "zones", Holds: "the time zone that you have set", Until: "until you set another one, or the default", Person: "person = ?"},
	{Name: "deferrals", Holds: "follow-ups: who asked, and in which words, the prompt, and when", Until: "until it begins or is cancelled", Person: "requester = ?"},
	{Name: "choices", Holds: "questions that wait for a reaction, and for whom the bot asks", Person: "requester = ?"},
	{Name: "questions", Holds: "cards: who asked, what waits for approval, and how it ended", Person: "requester = ? AND state <> 'running'"}, // the card that asks about this runs
	{Name: "recall", Holds: "what was said on servers, if [recall](memory.md#recall) is on", Until: "until the message is deleted on Discord, or you erase it",
		Person: "(author = ? OR asker = ? AND asker <> '')"},
	{Name: "recall_parts", Holds: "which messages make up a long answer", Until: "as long as the row of `recall`", Why: "rows of recall, which take them along"},
	{Name: "recall_vectors", Holds: "embeddings of what was said", Until: "as long as the row of `recall`", Why: "rows of recall, which take them along"},
	{Name: "recall_words", Holds: "the index of words in what was said", Until: "as long as the row of `recall`", Why: "rows of recall, which take them along"},
	{Name: "recall_meta", Holds: "how far recall has come", Until: "for good", Why: "the state of recall"},
	{Name: "tasks", Holds: "tasks: title, description, who opened it, who it is for, and who set the date", Until: "for good", // the work is the server's and stays, without them
		Person: "(creator = ? OR owner = ? OR due_by = ?)",
		Erase:  "UPDATE tasks SET creator = CASE creator WHEN ? THEN '' ELSE creator END, owner = CASE owner WHEN ? THEN '' ELSE owner END, due_by = CASE due_by WHEN ? THEN '' ELSE due_by END, version = version + 1 WHERE creator = ? OR owner = ? OR due_by = ?",
		Erased: "the task stays, without your ID"},
	{Name: "task_labels", Holds: "the tags of tasks", Until: "for good", Why: "words about work"},
	{Name: "task_numbers", Holds: "the last number of a task", Until: "for good", Why: "numbers"},
	{Name: "task_refusals", Holds: "posts that did not become tasks", Until: "for good", Why: "IDs of posts"},
	{Name: "crons", Holds: "scheduled jobs: the author, the words in which they asked for it, the prompt, the schedule, and what the job keeps between runs", Until: "until the job is deleted",
		Person: "author = ?"}, // a job without the rights of its author could do nothing
	{Name: "cron_posts", Holds: "the posts of jobs in the forum, and what people wrote in them", Until: "until the post no longer shows a job",
		Person: "owner = ?", // those of jobs are deleted when the post no longer shows the job
		Erase:  "DELETE FROM cron_posts WHERE owner = ? AND job = ''; UPDATE cron_posts SET owner = '', read = '', agreed = '', draft = '' WHERE owner = ?",
		Erased: "deleted; while a job still has the post, your ID and your text are removed"},
	{Name: "cron_runs", Holds: "when jobs ran, how that ended, and tokens", Why: "times of jobs"},
	{Name: "cron_hooks", Holds: "the secrets of webhooks", Until: "as long as the job", Why: "rows of crons, which take them along; secrets are not exported"},
	{Name: "cron_calls", Holds: "calls of webhooks, and their text until the run is over", Why: "rows of crons, which take them along; a body is dropped when its run is over"},
	{Name: "spending", Holds: "what each call of a model cost: tokens, the length of sound, characters, dollars, the model, the channel, and who asked",
		Person: "person = ?", Erase: "UPDATE spending SET person = '' WHERE person = ?", Erased: "the sums stay, without your ID"},
	{Name: "images", Holds: "who had an image generated, and when",
		Person: "person = ?", Erase: "UPDATE images SET person = '' WHERE person = ?", Erased: "the server's count stays, without your ID"},
	{Name: "plans", Holds: "plans: the text, who asked for it, and who approved or closed it", Until: "for good",
		Person: "(author = ? OR approver = ?)",
		Erase:  "UPDATE plans SET author = CASE author WHEN ? THEN '' ELSE author END, approver = CASE approver WHEN ? THEN '' ELSE approver END WHERE author = ? OR approver = ?",
		Erased: "the plan stays, without your ID"},
	{Name: "plan_work", Holds: "work on plans: who asked for it, and how far it came",
		Person: "requester = ?", Erase: "UPDATE plan_work SET requester = '', prompters = '' WHERE requester = ? AND over <> 0", Erased: "finished work stays, without your ID"},
	{Name: "transcripts", Holds: "what you said to the bot in calls, and what it answered; no sound", Person: "person = ?"},
	{Name: "unheard", Holds: "that you do not want the bot to hear you in calls", Until: "until you say `!voice hear me`",
		Person: "person = ?", Erase: "UPDATE unheard SET since = 0 WHERE person = ? AND since <> 0", // whoever erases everything does not ask to be heard
		Erased: "it stays, without the time, so that you are not heard again"},
	{Name: "inbox", Holds: "messages, commands and reactions that the bot has accepted, with their text until they are answered", Why: "what it has of a message is dropped when that is answered"},
	{Name: "rounds", Holds: "what the model wrote in a turn that is not over", Why: "dropped when the turn is over"},
	{Name: "steps", Holds: "what that answer asked for, and what came of it", Until: "as long as the row of `rounds`", Why: "dropped when the turn is over"},
	{Name: "posts", Holds: "the bot's posts, with their text until it is certain that they arrived", Why: "the text is dropped when the post is known to be there"},
	{Name: "answered", Holds: "questions that were answered by a reaction, and the IDs of people who lacked the permission for their choice", Why: "IDs of messages, and emoji"},
	{Name: "sent", Holds: "which messages the bot sent for people", Until: "for good", Why: "IDs of messages of the bot"},
	{Name: "retold", Holds: "which messages of the bot may repeat outside text, and by whom that was", Why: "IDs of messages of the bot, and whose words came before them"},
	{Name: "named", Holds: "names that the bot gave to things on a server and that may repeat outside text, and by whom that was", Why: "names on servers, and whose words came before them"},
	{Name: "watermarks", Holds: "the last message that was read in each channel", Until: "for good", Why: "IDs of messages"},
	{Name: "heard", Holds: "the last message that was seen on each server", Until: "for good", Why: "IDs of messages"},
	{Name: "directs", Holds: "with whom the bot has opened direct messages", Until: "for good", Person: "person = ?"},
	{Name: "cells", Holds: "single values, such as how the last run of the bot ended", Until: "for good", Why: "the state of the bot"},
	{Name: "copied", Holds: "whether the database is a copy", Until: "until the copy is used", Why: "the state of the database"},
}

// Export returns the rows about a person, by table and column.
func (db *DB) Export(ctx context.Context, person string) (map[string][]map[string]any, error) {
	found := map[string][]map[string]any{}
	for _, t := range Tables {
		if t.Person == "" {
			continue
		}
		list, err := db.export(ctx, t, person)
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", t.Name, Plain(err))
		}
		if len(list) > 0 {
			found[t.Name] = list
		}
	}
	return found, nil
}

func (db *DB) export(ctx context.Context, t Table, person string) (list []map[string]any, err error) {
	query := fmt.Sprintf("SELECT * FROM %s WHERE %s", t.Name, t.Person)
	rows, err := db.QueryContext(ctx, query, forEach(query, person)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, name := range columns {
			row[name] = values[i]
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// forEach returns an argument once for each placeholder of a query.
func forEach(query, arg string) []any { return slices.Repeat([]any{arg}, strings.Count(query, "?")) }

// Erase erases the rows about a person, and returns how many there were.
func (db *DB) Erase(ctx context.Context, person string) (n int64, err error) {
	err = db.Tx(ctx, func(tx *Tx) error {
		n = 0
		for _, t := range Tables {
			if t.Person == "" {
				continue
			}
			erase := t.Erase
			if erase == "" {
				erase = fmt.Sprintf("DELETE FROM %s WHERE %s", t.Name, t.Person)
			}
			for statement := range strings.SplitSeq(erase, ";") {
				gone, err := Changed(tx.ExecContext(ctx, statement, forEach(statement, person)...))
				if err != nil {
					return fmt.Errorf("erase %s: %w", t.Name, err)
				}
				n += int64(gone)
			}
		}
		return nil
	})
	return n, Plain(err)
}
