//go:build unix

package tools

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"discoclaw/internal/procgroup"
)

const (
	grace    = 2 * time.Second        // between asking a command to end and killing it
	drainage = 500 * time.Millisecond // for output of processes that have left the command's group
)

// limits set bounds for each process of a command, then become its shell: ten minutes of processor time, a gibibyte in
// a file, and no core dumps. Processes and memory are not limited, because compilers and runtimes need more of them
// than a bound that protects would allow.
const limits = `{ ulimit -c 0; ulimit -t 600; ulimit -f 2097152; } 2>/dev/null; exec "$0" -c "$1"`

// execute runs a command, and ends whatever it has started when the command or ctx ends. It stays on its thread, as
// package procgroup demands.
func execute(ctx context.Context, command, dir string, env []string, stdout, stderr io.Writer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	cmd := exec.Command("/bin/sh", "-c", limits, shell, command) // ctx would kill the shell alone
	cmd.Dir, cmd.Env = dir, env
	procgroup.Guard(cmd)
	var out, errs tap
	defer out.close()
	defer errs.close()
	var err error
	if cmd.Stdout, err = out.open(stdout); err != nil {
		return err
	}
	if cmd.Stderr, err = errs.open(stderr); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out.closeWriter()
	errs.closeWriter()

	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		procgroup.Terminate(cmd.Process)
		select {
		case err = <-ended:
		case <-time.After(grace):
			procgroup.Kill(cmd.Process)
			err = <-ended
		}
		if err == nil {
			err = context.Cause(ctx)
		}
	}
	procgroup.Kill(cmd.Process) // what it left running; mostly nothing
	return err
}

// A tap copies one output of a command. It is a pipe of our own, because that of package exec is read until each process that has it
// is gone.
type tap struct {
	reader, writer *os.File
	copied         sync.WaitGroup
}

func (t *tap) open(to io.Writer) (w *os.File, err error) {
	if t.reader, t.writer, err = os.Pipe(); err != nil {
		return nil, err
	}
	t.copied.Go(func() { _, _ = io.Copy(to, t.reader) }) // it ends when the pipe does, or is closed
	return t.writer, nil
}

func (t *tap) closeWriter() { _ = t.writer.Close() }

// close waits for the rest of the output, though not for long.
func (t *tap) close() {
	if t.reader == nil {
		return
	}
	t.closeWriter() // closed already, unless the command did not start
	_ = t.reader.SetReadDeadline(time.Now().Add(drainage))
	t.copied.Wait()
	_ = t.reader.Close()
}

// nonBlocking keeps an open of a pipe that has just taken a file's place from waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK
