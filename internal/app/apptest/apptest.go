// Package apptest holds the parts that tests of a whole bot share: settings in a world, starting and
// stopping, models that always answer, and counting the answers in a channel. It is for tests only.
//
// It does not import app, so that the tests of app can use it as well as those of the packages
// below, such as flow, that need a whole bot.
package apptest

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
)

// World is the layout of a server with one channel, and with ada, whom Env lets in.
const World = `
guild disco: #general
member ada: owner
`

// PrivateDir returns a folder that only its owner can read, unlike t.TempDir, of which the bot would warn.
func PrivateDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Env returns the settings of a bot in a world that serves ada and has a data directory of its own.
func Env(t testing.TB, w *discordtest.World, more ...string) config.Env {
	t.Helper()
	env := config.NewEnv([]string{
		"DISCORD_TOKEN=" + w.Token(),
		"DISCORD_API_URL=" + w.APIURL(),
		"DISCORD_ALLOW_USER_IDS=" + string(w.UserID("ada")),
		"DISCOCLAW_OPERATOR_DMS=0",                                                                      // tests count requests, also after failures
		"DISCOCLAW_USER_TURNS=0", "DISCOCLAW_SUMMARY_ENABLED=0", "DISCOCLAW_SHORTTERM_MEMORY_ENABLED=0", // models of tests take up what they read
		"DISCOCLAW_DATA_DIR=" + PrivateDir(t), "DEFAULT_TIMEZONE=UTC",
	})
	for name, value := range config.NewEnv(more) {
		env[name] = value
	}
	return env
}

// A Bot is an *app.Bot.
type Bot interface {
	Run(ctx context.Context) error
}

// Start runs a bot in the test's bubble, and waits until it is online or has given up. Stop ends
// it, and returns how long that took and the error of Run.
func Start(bot Bot) (stop func() (time.Duration, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	synctest.Wait()
	return func() (time.Duration, error) {
		began := time.Now()
		cancel()
		err := <-ended
		return time.Since(began), err
	}
}

// SetClock changes how far this machine's clock is ahead of Discord's. The clock of a bubble cannot
// be set, so time passes here while Discord's clock stands still, or the other way round.
func SetClock(w *discordtest.World, from, to time.Duration) {
	if to > from {
		time.Sleep(to - from)
	}
	w.Skew(-to)
}
