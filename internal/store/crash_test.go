package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"discoclaw/internal/store"
)

// diary is the variable that makes the test binary a process that writes numbers
// into a database until it is killed.
const diary = "DISCOCLAW_STORE_TEST_DIARY"

func TestMain(m *testing.M) {
	if path := os.Getenv(diary); path != "" {
		keepDiary(path)
	}
	os.Exit(m.Run())
}

// keepDiary prints each number after it was committed. It ends only on an error.
func keepDiary(path string) {
	ctx := context.Background()
	db, err := store.Open(ctx, path)
	for n := 1; err == nil; n++ {
		err = db.Tx(ctx, func(tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS diary (n BIGINT)"); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO diary VALUES (?)", n)
			return err
		})
		fmt.Println(n)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// startDiary starts a process that keeps a diary, and returns its output.
func startDiary(t *testing.T, path string) (child *exec.Cmd, said *bufio.Scanner) {
	t.Helper()
	child = exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), diary+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child, bufio.NewScanner(out)
}

func TestCommittedRowsSurviveAKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	child, lines := startDiary(t, path)
	said := 0
	for lines.Scan() {
		said++
		if said == 50 {
			if err := child.Process.Kill(); err != nil { // no chance to close anything
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // says that it was killed
	if said < 50 {
		t.Fatalf("the process said %d numbers, then ended by itself", said)
	}
	db := open(t, path)
	kept := count(t, db, "SELECT COUNT(*) FROM diary")
	// The last number may have been committed but not printed any more.
	if kept != said && kept != said+1 {
		t.Errorf("%d numbers were reported as committed, %d are there", said, kept)
	}
	if last := count(t, db, "SELECT MAX(n) FROM diary"); last != kept {
		t.Errorf("%d numbers are there, but the last is %d", kept, last)
	}
}
