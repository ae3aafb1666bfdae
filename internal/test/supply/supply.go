// Package supply lists the modules that are linked into discoclaw, with their licences: for
// THIRD_PARTY_NOTICES, which a release has to come with, and for a software bill of materials.
package supply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Module is linked into the program on at least one system.
type Module struct {
	Path, Version string
	Licences      []Licence
}

// A Licence is a file of a module's root that says under which terms it may be used.
type Licence struct{ File, Text string }

// systems are those for which there are releases. Some modules are linked on one of them only.
var systems = []string{"linux", "darwin", "windows"}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// Modules returns the modules that a package needs, sorted by path. The working directory must be inside the main module.
func Modules(pkg string) ([]Module, error) {
	dirs := map[key]string{}
	for _, system := range systems {
		if err := list(pkg, system, dirs); err != nil {
			return nil, err
		}
	}
	var all []Module
	for _, k := range slices.SortedFunc(maps.Keys(dirs), func(a, b key) int { return strings.Compare(a.Path, b.Path) }) {
		licences, err := read(dirs[k])
		if err != nil {
			return nil, err
		}
		all = append(all, Module{k.Path, k.Version, licences})
	}
	return all, nil
}

// A key identifies a module.
type key struct{ Path, Version string }

// list adds the folders of the modules that a package needs on a system.
func list(pkg, system string, dirs map[key]string) error {
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-deps", "-json=Module", pkg)
	cmd.Env, cmd.Stderr = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0"), &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("cannot list the modules for %s: %w\n%s", system, err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				key
				Dir  string
				Main bool
			}
		}
		switch err := d.Decode(&p); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case p.Module != nil && !p.Module.Main:
			dirs[p.Module.key] = p.Module.Dir
		}
	}
}

// read returns the licences in a module's root.
func read(dir string) (found []Licence, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, Licence{f.Name(), strings.ReplaceAll(string(text), "\r\n", "\n")})
	}
	return found, nil
}

// Name returns the SPDX identifier of the module's licence, or "" if it is none of those that are known here.
func (m Module) Name() string {
	for _, l := range m.Licences {
		if name := l.name(); name != "" {
			return name
		}
	}
	return ""
}

func (l Licence) name() string {
	text := strings.Join(strings.Fields(l.Text), " ")
	for _, known := range []struct{ id, words string }{
		{"Apache-2.0", "Apache License Version 2.0"},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"BSD-3-Clause", "endorse or promote products derived from this software"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
		{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"},
	} {
		if strings.Contains(text, known.words) {
			return known.id
		}
	}
	return ""
}

// Notices returns the licences of all modules as one text.
func Notices(modules []Module) string {
	var b strings.Builder
	b.WriteString("DiscoClaw is linked with the modules below, and with the standard library of Go, which has the licence of\n" +
		"golang.org/x/text. This file is written by make notices.\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n%s\n", rule, m.Path, m.Version, m.Name(), rule)
		for _, l := range m.Licences {
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", l.File, strings.Trim(l.Text, "\n"))
		}
	}
	return b.String()
}

var rule = strings.Repeat("=", 80)

// BillOfMaterials returns the modules in the form of CycloneDX 1.6.
func BillOfMaterials(modules []Module) ([]byte, error) {
	type object = map[string]any
	parts := []object{}
	for _, m := range modules {
		parts = append(parts, object{
			"type": "library", "name": m.Path, "version": m.Version, "purl": "pkg:golang/" + m.Path + "@" + m.Version,
			"licenses": []object{{"license": object{"id": m.Name()}}},
		})
	}
	return json.MarshalIndent(object{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   object{"component": object{"type": "application", "name": "discoclaw"}},
		"components": parts,
	}, "", "  ")
}
