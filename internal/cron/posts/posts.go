// Package posts keeps scheduled jobs in the posts of a forum, and makes jobs of what people write there.
//
// The job is what counts, and its post follows. From its post a job takes what people change there: its name, its tags, that it is
// archived or deleted. A post of a person describes a job in words: it is read, what was understood is shown, and the person confirms that
// with a reaction before anything runs. The same goes for every edit of it; until then the job stays as it is.
package posts

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/cron"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/forum"
	"discoclaw/internal/store"
)

// A Server is Discord, as [discord.Client] is.
type Server interface {
	forum.Server
	// Channel finds a channel or a thread of one server. An error is a sentence for people.
	Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)
	// Readable reports whether everybody who sees a channel may read another as well.
	Readable(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)
	React(ctx context.Context, ch chat.ChannelID, m chat.MessageID, e chat.Emoji) error
}

// Options are what an engine needs. A nil Log discards.
type Options struct {
	Forum  chat.ChannelID // of the jobs of its server; if empty, on each server the forum called crons
	TagMap string         // the file that maps words to the IDs of tags; tags that are not in it go by their names

	Server  Server
	Outbox  *outbox.Outbox
	Choices *choices.Store
	Jobs    *cron.Engine

	// Guilds returns the servers whose forums are kept in step.
	Guilds func() []chat.GuildID
	// Allowed reports whether a user's post in a place may become a job.
	Allowed func(who chat.UserID, at chat.Place) bool

	Log *slog.Logger
}

// Live is what an engine needs while it runs.
type Live struct {
	// Busy reports whether the bot is answering in a channel, so that it must not be archived yet.
	Busy func(chat.ChannelID) bool
	// Read has a model say what a person's text asks for. Before is what an earlier version of it said.
	Read func(ctx context.Context, by chat.UserID, text string, before *Said) (Said, error)
	// Apply makes or changes a job with the rights of the person who asks for it, and returns its ID. Refused is why it did not, for people.
	Apply func(ctx context.Context, o Order) (job string, refused, err error)
	// Suggest returns which of the names fit a new job as tags. It may be nil.
	Suggest func(ctx context.Context, j cron.Job, names []string) ([]string, error)
}

// An Engine keeps jobs in posts. It is safe for concurrent use, as soon as its database is open. Posts follow while Run runs.
type Engine struct {
	Options
	forum.Keeper
	rows  rows
	posts forum.Posts
	live  atomic.Pointer[Live]
	asked forum.Asked // when a model was asked; guarded by Alone
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	db.OnRestore("cron_posts", afterRestore)
	e := &Engine{Options: o, rows: rows{db}, posts: forum.Posts{Server: o.Server, Outbox: o.Outbox, Allowed: o.Allowed}}
	e.Keeper = forum.NewKeeper(db, forum.Options{Name: "cron-forums", TagMap: o.TagMap, Posts: e.posts, Log: o.Log, Guilds: o.Guilds,
		Find: e.ForumOf, Compare: e.compare, Round: e.round})
	o.Jobs.OnChange(e.jobChanged)
	return e
}

// ErrNoForum means that a server has no forum for scheduled jobs.
var ErrNoForum = forum.Missing("this server has no forum for scheduled jobs; make a forum channel called crons, and allow me there to see it, create posts, send messages, add reactions and manage threads")

// forumName is what the forum of a server's jobs is called, if no other was chosen.
const forumName = "crons"

// ForumOf returns the forum of a server's jobs, or ErrNoForum.
func (e *Engine) ForumOf(ctx context.Context, g chat.GuildID) (chat.Channel, error) {
	found, ok, err := forum.Find(ctx, e.Server, g, e.Forum, forumName)
	if err == nil && !ok {
		err = ErrNoForum
	}
	return found, err
}

// Defines reports whether a message is the first one of a post in the forum, which describes a job.
func (e *Engine) Defines(ctx context.Context, m chat.Message) bool {
	if string(m.ID) != string(m.Place.Channel) || m.Place.Parent == "" || !slices.Contains(e.Guilds(), m.Place.Guild) {
		return false
	}
	of, err := e.ForumOf(ctx, m.Place.Guild)
	return err == nil && of.ID == m.Place.Parent
}

// lookupTime bounds a look into the database.
const lookupTime = 10 * time.Second

// Outside returns the outside texts in what the bot posts about a job in its post. If that cannot be looked up, it is such a text.
func (e *Engine) Outside(thread chat.ChannelID) chat.Sources {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	j, err := e.InThread(ctx, thread)
	if err != nil && !errors.Is(err, cron.ErrNotFound) {
		e.Log.ErrorContext(ctx, "cannot look up what a scheduled job was written after", "channel", thread, "err", err)
		return "the post of a scheduled job"
	}
	return j.Outside
}

// InThread returns the job whose post a thread is.
func (e *Engine) InThread(ctx context.Context, thread chat.ChannelID) (cron.Job, error) {
	r, err := e.rows.get(ctx, "thread = ? AND thread <> ''", thread)
	if err != nil || r.Job == "" {
		return cron.Job{}, cmp.Or(err, cron.ErrNotFound)
	}
	return e.Jobs.ByID(ctx, r.Job)
}

// settleDelay is how long a change of a job waits for others of the same job, and for the answer that tells of it.
const settleDelay = time.Second

// jobChanged has the post of a job follow it.
func (e *Engine) jobChanged(_ chat.GuildID, id string) {
	e.RetryAfter(id, settleDelay)
	e.Wake()
}

// Run keeps posts and jobs in step until ctx ends.
func (e *Engine) Run(ctx context.Context, live Live) {
	e.live.Store(&live)
	e.Keep(ctx, func(context.Context) (never time.Time, err error) { return never, nil })
}

// round does what is to be done on one server.
func (e *Engine) round(ctx context.Context, of chat.Channel) error {
	tags, done := e.tagSet(ctx, of), &forum.Report{}
	for _, t := range e.TakeTouched(of.Guild) {
		if err := e.settleThread(ctx, t.Thread, tags, t.Starter, done); err != nil {
			return err
		}
	}
	return e.settleRested(ctx, of.Guild, tags, done)
}

// settleRested settles the jobs that have changed, and what has failed, once their rest is over.
func (e *Engine) settleRested(ctx context.Context, g chat.GuildID, tags forum.TagSet, done *forum.Report) error {
	resting := e.Resting()
	for _, key := range slices.Sorted(maps.Keys(resting)) {
		if resting[key] {
			continue
		}
		r, err := e.rows.get(ctx, "job = ?1 AND job <> '' OR thread = ?1 AND thread <> ''", key)
		if errors.Is(err, cron.ErrNotFound) {
			r, err = record{Job: key}, nil
			j, failed := e.Jobs.ByID(ctx, key)
			if errors.Is(failed, cron.ErrNotFound) {
				e.Succeeded(key) // it was deleted
				continue
			}
			r.Guild, err = j.Guild, failed
		}
		if err != nil {
			return err
		}
		if r.Guild == g {
			e.settle(ctx, r, tags, false, done)
		}
	}
	return nil
}

// tagSet returns what the tags of a forum mean. A tag map that is damaged stays as it was.
func (e *Engine) tagSet(ctx context.Context, of chat.Channel) forum.TagSet {
	return forum.NewTagSet(of, e.TagIDs(ctx))
}

// note posts a message in a post, once.
func (e *Engine) note(ctx context.Context, r record, part, text string) (chat.MessageID, error) {
	turn := chat.TurnID(fmt.Sprintf("cron-post-%d-%s", r.row, r.Thread))
	return e.Outbox.Of(turn, nil).Post(ctx, part, r.Thread, chat.Outgoing{Text: text})
}

// notAJob explains to the author of a post why it is archived.
const notAJob = "This forum holds the scheduled jobs of the server, and I take them only from members who may use me. So I have archived this post; please ask one of them to post it."

// key names a record among those that rest.
func (r record) key() string { return cmp.Or(r.Job, string(r.Thread)) }

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
