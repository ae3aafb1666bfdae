// Command cmd plays the requests of a trial, or prints the figures of one. "make trial" and "make
// trial-figures" call it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"discoclaw/internal/test/trial"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("trial", flag.ContinueOnError)
	dir := flags.String("dir", "", "folder of the trial")
	requests := flags.String("requests", "", "file with the requests")
	world := flags.String("world", "", "text archive with the server, if not the usual one")
	timeout := flags.Duration("timeout", 10*time.Minute, "how long to wait for an answer before the trial ends")
	project := flags.String("project", "", "git repository that plans may change a clone of")
	verify := flags.String("verify", "", "command line that tests the project")
	var settings []string
	flags.Func("set", "a setting of the bot, NAME=value; may be given several times", func(setting string) error {
		if name, _, ok := strings.Cut(setting, "="); !ok || name == "" {
			return errors.New("write NAME=value")
		}
		settings = append(settings, setting)
		return nil
	})
	figures := flags.Bool("figures", false, "only print the figures of a trial that is over, with its verdicts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("name the folder of the trial with -dir")
	}
	var failed error
	if !*figures {
		o := trial.Options{Dir: *dir, Timeout: *timeout, Project: *project, Verify: *verify, Settings: settings, Out: os.Stderr}
		if failed = play(ctx, o, *requests, *world); failed != nil && !there(*dir) {
			return failed
		}
	}
	tables, err := trial.Figures(*dir)
	fmt.Print(tables)
	return errors.Join(failed, err)
}

// there says whether a trial got so far that there are figures.
func there(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "figures.json"))
	return err == nil
}

func play(ctx context.Context, o trial.Options, requests, world string) error {
	text, err := os.ReadFile(requests)
	if err != nil {
		return fmt.Errorf("read the requests: %w", err)
	}
	o.Requests = string(text)
	if world != "" {
		archive, err := os.ReadFile(world)
		if err != nil {
			return fmt.Errorf("read the server: %w", err)
		}
		o.World = string(archive)
	}
	_, err = trial.Run(ctx, o)
	return err
}
