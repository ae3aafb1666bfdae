package procgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

const (
	guardName = "discoclaw-guard"
	guardExe  = "/proc/self/exe"

	// guardGrace is the time between SIGTERM and SIGKILL. It is shorter than that of the callers, which kill the guard when theirs is over.
	guardGrace = 1500 * time.Millisecond
	sweepTime  = time.Second // for processes that cannot be killed, such as those of another account

	prSetChildSubreaper = 36
)

// Set gives a process a group of its own, which the processes that it starts belong to. When the bot is killed, the
// system asks the process to end: it would spend money on an answer without a reader.
func Set(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// Guard is [Set] for a command that ends with all of its descendants, also those that have left its group. Between the bot and
// the command it puts another process of this program, a subreaper: the system makes it the parent of orphans, so it finds them.
//
// A process that another one starts on request, such as systemd or cron, is no descendant. Nor does a command lack the
// right to kill its guard.
func Guard(cmd *exec.Cmd) {
	Set(cmd)
	if _, err := os.Stat(guardExe); err != nil || cmd.Path == "" {
		return
	}
	cmd.Args = append([]string{guardName, cmd.Path}, cmd.Args...)
	cmd.Path = guardExe
}

// init makes a guard of every program that can start one, tests included, before the rest of it begins.
func init() {
	if len(os.Args) > 2 && os.Args[0] == guardName {
		os.Exit(guard(os.Args[1], os.Args[2:]))
	}
}

// guard runs a command, ends what is left of it, and returns its exit code.
func guard(path string, args []string) int {
	parent := os.Getppid()
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0); errno != 0 {
		fmt.Fprintln(os.Stderr, "discoclaw: processes that leave their group will not end with the command:", errno)
	}
	cmd := &exec.Cmd{Path: path, Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "discoclaw:", err)
		return 127
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its state is looked at
	}()
	select {
	case <-ended:
	case <-asked: // as was the rest of the group, unless the bot is gone
		if os.Getppid() != parent {
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
		select {
		case <-ended:
		case <-time.After(guardGrace):
			_ = cmd.Process.Kill()
			<-ended
		}
	}
	sweep()
	return exitCode(cmd.ProcessState)
}

// sweep kills the children until none is left. Those of a killed child become ours.
func sweep() {
	for begun := time.Now(); time.Since(begun) < sweepTime; time.Sleep(time.Millisecond) {
		for _, pid := range children() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if errors.Is(err, syscall.ECHILD) {
				return
			}
			if pid <= 0 {
				break
			}
		}
	}
}

// children returns the processes whose parent is this one.
func children() []int {
	entries, _ := os.ReadDir("/proc") // without it there is nothing to find
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat") // it may be gone
		// 17 (name, which may have blanks and brackets) S 1 …
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid()) {
			found = append(found, pid)
		}
	}
	return found
}

// exitCode returns the code by which a shell reports the same end. A guard whose command was killed kills itself, so that its parent sees
// the same.
func exitCode(s *os.ProcessState) int {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return s.ExitCode()
	}
	if status.Signal() == syscall.SIGKILL {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return 128 + int(status.Signal())
}
