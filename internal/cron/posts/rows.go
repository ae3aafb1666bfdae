package posts

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/forum"
	"discoclaw/internal/store"
)

// A record is what is known of a post.
type record struct {
	row    int64 // 0 before it is stored
	Guild  chat.GuildID
	Thread chat.ChannelID // empty before it is made
	Job    string         // empty if there is none yet
	Owner  chat.UserID    // the person whose post it is; empty for the bot's
	forum.Link
	message chat.MessageID // the bot's that shows the job
	read    string         // hash of the person's text that was read last
	agreed  *Said          // what the person's text said when it was last confirmed
	draft   *draft         // what it says now, which waits for the person
}

// A draft waits for a person to confirm it.
type draft struct {
	Said
	Target    chat.ChannelID // the channel that it names
	Name      string         // of a new job
	Read      time.Time      // when the text was read that says so, which names the draft
	Problem   string         `json:",omitempty"` // what is wrong with the text, to be told; empty for nothing
	Question  chat.MessageID `json:",omitempty"` // that asks whether it is right
	Confirmed bool           `json:",omitempty"`
}

// rows is the table of posts.
type rows struct{ db *store.DB }

const columns = "id, guild, thread, job, owner, begun, base, sent, message, read, agreed, draft"

func scan(row store.Row) (r record, err error) {
	err = row.Scan(&r.row, &r.Guild, &r.Thread, &r.Job, &r.Owner, store.Time(&r.Begun), store.JSON(&r.Base), store.JSON(&r.Sent),
		&r.message, &r.read, store.JSON(&r.agreed), store.JSON(&r.draft))
	if errors.Is(err, sql.ErrNoRows) {
		err = cron.ErrNotFound
	}
	return r, err
}

func (s rows) get(ctx context.Context, where string, args ...any) (record, error) {
	r, err := scan(s.db.QueryRowContext(ctx, "SELECT "+columns+" FROM cron_posts WHERE "+where, args...))
	return r, store.Plain(err)
}

// of returns the posts of a server.
func (s rows) of(ctx context.Context, g chat.GuildID) ([]record, error) {
	list, err := store.All(ctx, s.db, scan, "SELECT "+columns+" FROM cron_posts WHERE guild = ? ORDER BY id", g)
	return list, store.Plain(err)
}

// save changes a record, which it reads again if it is stored.
func (s rows) save(ctx context.Context, r *record, do func(*record)) error {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		now := *r
		if r.row != 0 {
			var err error
			if now, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM cron_posts WHERE id = ?", r.row)); err != nil {
				return err
			}
		}
		do(&now)
		values, err := now.values(), error(nil)
		if now.row == 0 {
			err = tx.QueryRowContext(ctx, `INSERT INTO cron_posts (guild, thread, job, owner, begun, base, sent, message, read, agreed, draft)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, values...).Scan(&now.row)
		} else {
			_, err = tx.ExecContext(ctx, `UPDATE cron_posts SET guild = ?, thread = ?, job = ?, owner = ?, begun = ?, base = ?, sent = ?, message = ?, read = ?, agreed = ?, draft = ?
				WHERE id = ?`, append(values, now.row)...)
		}
		*r = now
		return err
	})
	return store.Plain(err)
}

// values are the columns of a record, without its ID.
func (r record) values() []any {
	return []any{r.Guild, r.Thread, r.Job, r.Owner, store.Micro(r.Begun), store.JSON(r.Base), store.JSON(r.Sent), r.message, r.read,
		store.JSON(r.agreed), store.JSON(r.draft)}
}

func (s rows) drop(ctx context.Context, r record) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM cron_posts WHERE id = ?", r.row)
	return store.Plain(err)
}

// afterRestore is for a restored copy of the database: posts may have been made and questions answered since. So posts are searched for
// before they are made, and people's texts are read again.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	for _, statement := range []string{
		"UPDATE cron_posts SET draft = '', read = '' WHERE draft <> ''",
		`INSERT INTO cron_posts (guild, thread, job, owner, begun, base, sent, message, read, agreed, draft)
			SELECT guild, '', id, '', 0, '{}', '', '', '', '', '' FROM crons WHERE id NOT IN (SELECT job FROM cron_posts)`,
		"UPDATE cron_posts SET begun = COALESCE((SELECT created FROM crons WHERE crons.id = job), 0) WHERE thread = ''",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
