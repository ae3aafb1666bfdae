package attach

import (
	"mime"
	"path"
	"strings"

	"discoclaw/internal/chat"
)

// A kind says how a file is opened.
type kind int

const (
	isOther kind = iota
	isPicture
	isText
	isPaper
	isVoice
)

// kindOf goes by the media type that Discord states, and else by the name: for source
// code the media type is often wrong.
func kindOf(file chat.Attachment) kind {
	declared, _, err := mime.ParseMediaType(file.Type)
	if err != nil {
		declared = ""
	}
	if k := kinds[declared]; k != isOther {
		return k
	}
	if strings.HasPrefix(declared, "text/") {
		return isText
	}
	name := strings.ToLower(path.Base(file.Name))
	if k := kinds[path.Ext(name)]; k != isOther {
		return k
	}
	return kinds[name]
}

// kinds has media types, file extensions and whole names.
var kinds = listed(
	isPaper, "application/pdf .pdf",
	isPicture, "image/png image/jpeg image/jpg image/webp image/gif .png .jpg .jpeg .webp .gif",
	isText, `application/json application/xml application/javascript application/typescript application/toml
		application/sql application/graphql application/php application/x-sh application/sh application/x-yaml application/yaml`,
	// Prose and data.
	isText, ".txt .md .markdown .mdx .rst .adoc .org .tex .bib .csv .tsv .json .jsonl .ndjson .json5 .jsonc .geojson .ipynb .log .srt .vtt .ics .vcf",
	// Markup and style.
	isText, ".html .htm .xhtml .xml .xsl .xsd .svg .css .scss .sass .less .vue .svelte .astro .hbs .ejs .tmpl .j2",
	// Configuration.
	isText, `.yaml .yml .toml .ini .cfg .conf .config .env .properties .editorconfig .gitignore .gitattributes .dockerignore .npmrc
		.lock .mod .sum .tf .tfvars .hcl .nix .service .desktop .plist .reg dockerfile makefile cmakelists.txt gemfile rakefile procfile license readme`,
	// Differences and scripts.
	isText, ".diff .patch .sh .bash .zsh .fish .bat .cmd .ps1 .psm1 .awk .sed .mk .cmake .gradle .bazel .bzl",
	// Source code.
	isText, `.go .py .pyi .rb .rs .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .fs .fsx .vb .java .kt .kts .scala .clj .cljs .groovy
		.js .mjs .cjs .jsx .ts .mts .cts .tsx .php .pl .pm .lua .r .jl .swift .dart .ex .exs .erl .hrl .hs .elm .ml .mli .nim .zig .v .d .pas
		.asm .s .sql .graphql .gql .proto .thrift .sol .vim .el .lisp .scm .rkt .tcl .coffee .glsl .wgsl .hlsl .gd`,
)

func listed(pairs ...any) map[string]kind {
	all := map[string]kind{}
	for i := 0; i < len(pairs); i += 2 {
		for _, name := range strings.Fields(pairs[i+1].(string)) {
			all[name] = pairs[i].(kind)
		}
	}
	return all
}
