package smalldisk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
)

func newDisk(t *testing.T, bytes int) (string, bool) {
	t.Helper()
	if os.Getenv(inside) == "" {
		again(t)
		return "", false
	}
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		missing(t, "no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder, true
}

// again runs the test in a process that is root in a user and mount namespace of its own.
func again(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		t.Errorf("with a small disk: %v\n%s", err, out)
	case err != nil:
		missing(t, "no process with mounts of its own can be started here: %v", err)
	case skipped.Match(out):
		t.Skipf("with a small disk:\n%s", out)
	}
}

// missing skips a test, or fails it if the environment requires the disk.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("DISCOCLAW_REQUIRE_DISK") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

var skipped = regexp.MustCompile(`(?m)^--- SKIP`)
