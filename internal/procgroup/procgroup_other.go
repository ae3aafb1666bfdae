//go:build !unix

package procgroup

import (
	"os"
	"os/exec"
)

// There are no groups here, so what a process has started outlives it.

func Set(*exec.Cmd) {}

func Guard(*exec.Cmd) {}

func Terminate(p *os.Process) { Kill(p) }

func Kill(p *os.Process) {
	_ = p.Kill() // fails if it has ended
}
