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
//	discord: moves bob to Lounge        a voice channel
//	discord: disconnects bob            from it
//	discord: opens #ops plans           a thread there, by the owner
//	discord: archives "a post"          also unarchives and deletes
//	discord: renames "a post" its new name
//	discord: loses lair                 a server is out of order
//	discord: regains lair
//	discord: recovers                   from all faults and limits of requests
func (s *step) change(words []string) error {
	do := map[string]func(p *People, a, b string) error{
		"renames 2":     func(p *People, a, b string) error { return p.world.RenameChannel(a, b) },
		"deletes 1":     func(p *People, a, _ string) error { return p.world.DeleteChannel(a) },
		"gives 2":       func(p *People, a, b string) error { return p.world.GrantRole(a, b) },
		"takes 2":       func(p *People, a, b string) error { return p.world.RevokeRole(a, b) },
		"removes 1":     func(p *People, a, _ string) error { return p.world.RemoveMember(a) },
		"moves 2":       func(p *People, a, b string) error { return p.world.EnterVoice(a, b) },
		"disconnects 1": func(p *People, a, _ string) error { return p.world.LeaveVoice(a) },
		"calls 2":       func(p *People, a, b string) error { return p.world.SetNick(a, b) },
		"opens 2": func(p *People, a, b string) error {
			_, err := p.world.StartThread(string(p.world.Owner()), a, b)
			return err
		},
		"loses 1":   func(p *People, a, _ string) error { return p.world.OutageOf(a, true) },
		"regains 1": func(p *People, a, _ string) error { return p.world.OutageOf(a, false) },
		"recovers 0": func(p *People, _, _ string) error {
			p.world.Recover()
			return nil
		},
		"hides 2": func(p *People, a, b string) error { return p.world.Deny(a, b, chat.ViewChannel) },
	}
	args := words[1:]
	if words[0] == "calls" && len(args) > 2 {
		args = []string{args[0], strings.Join(args[1:], " ")}
	}
	if len(args) == 3 && (args[1] == "from" || args[1] == "to") {
		args = []string{args[0], args[2]}
	}
	f, ok := do[fmt.Sprintf("%s %d", words[0], len(args))]
	if !ok {
		return errors.New("no such change; see changes.go")
	}
	args = append(args, "", "")
	s.by(func(p *People) error { return f(p, args[0], args[1]) })
	return nil
}

// changePost changes a thread, whose name may have spaces.
func (p *People) changePost(how, name, to string) error {
	switch how {
	case "archives":
		return p.world.Archive(name)
	case "unarchives":
		return p.world.Unarchive(name)
	case "deletes":
		return p.world.DeleteChannel(name)
	}
	return p.world.RenameChannel(name, to)
}
