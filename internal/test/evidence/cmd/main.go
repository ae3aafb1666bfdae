// Command cmd runs commands of a shell one after another, as the steps of a run that can be continued: "cmd chaos 'go test …' …". A step
// finds the folder of the run in $EVIDENCE. The first one that fails ends the run; the next call begins with it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"discoclaw/internal/test/evidence"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("say what the run is called, and give its steps")
	}
	r, err := evidence.Begin(".", args[0], time.Now(), os.Stdout)
	if err != nil {
		return err
	}
	for i, step := range args[1:] {
		_, err := r.Step(fmt.Sprint(i+1), func() (string, error) {
			began := time.Now()
			fmt.Printf("-- step %d of %d: %s\n", i+1, len(args)-1, step)
			cmd := exec.Command("sh", "-c", step)
			cmd.Env = append(os.Environ(), "EVIDENCE="+r.Dir)
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			return step + "\n" + time.Since(began).String() + "\n", cmd.Run()
		})
		if err != nil {
			return fmt.Errorf("step %d failed, and is where the next run goes on: %w", i+1, err)
		}
	}
	return nil
}
