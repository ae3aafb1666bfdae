package scenario

import (
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// change reads a line about a change of the server, by the administrator:
//
//	discord: renames #ops crew
//	discord: deletes #ops
//	discord: gives bob helpers
//	discord: takes bob helpers
//	discord: removes bob
//	discord: hides #ops from bob
//	discord: calls bob Captain Bob
//	discord: opens #ops plans           a thread there, by the owner
//	discord: loses lair                 a server is out of order
//	discord: regains lair
func (s *step) change(words []string) error {
	do := map[string]func(st *stage, a, b string) error{
		"renames 2": func(st *stage, a, b string) error { return st.RenameChannel(a, b) },
		"deletes 1": func(st *stage, a, _ string) error { return st.DeleteChannel(a) },
		"gives 2":   func(st *stage, a, b string) error { return st.GrantRole(a, b) },
		"takes 2":   func(st *stage, a, b string) error { return st.RevokeRole(a, b) },
		"removes 1": func(st *stage, a, _ string) error { return st.RemoveMember(a) },
		"calls 2":   func(st *stage, a, b string) error { return st.SetNick(a, b) },
		"opens 2": func(st *stage, a, b string) error {
			_, err := st.StartThread(string(st.Owner()), a, b)
			return err
		},
		"loses 1":   func(st *stage, a, _ string) error { return st.OutageOf(a, true) },
		"regains 1": func(st *stage, a, _ string) error { return st.OutageOf(a, false) },
		"hides 2":   func(st *stage, a, b string) error { return st.Deny(a, b, chat.ViewChannel) },
	}
	args := words[1:]
	if words[0] == "calls" && len(args) > 2 {
		args = []string{args[0], strings.Join(args[1:], " ")}
	}
	if len(args) == 3 && args[1] == "from" {
		args = []string{args[0], args[2]}
	}
	f, ok := do[fmt.Sprintf("%s %d", words[0], len(args))]
	if !ok {
		return errors.New("no such change; see changes.go")
	}
	args = append(args, "")
	s.do = func(st *stage) error { return f(st, args[0], args[1]) }
	return nil
}
