# "make help" lists the commands. Each command first installs missing packages on Debian and
# Ubuntu; on other systems it says what to install (.ci/tools.mk).

include .ci/tools.mk

FUZZTIME ?= 1m
# No test has a bound in seconds: a busy machine takes longer.
TIMEOUT := -timeout 60m

.PHONY: help release release-full cross test-release release-check demo bare-demo bare-deb wer field-check honesty test test-all test-full test-current test-race test-page test-clients lint openapi-lint mcp-conformance bench fuzz mutants soak clean
.DEFAULT_GOAL := test

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 22

# Tests.

test: setup ## what every change needs: all packages in their small size, in minutes
	$(GARBAGE) $(GO) test -short $(AT_ONCE) $(TIMEOUT) -vet=off $(LONGEST) $$($(GO) list ./... | grep -vE '/($(LATER))$$')

# Each part can also be made alone.
test-all: test-full test-current test-page test-release test-clients mcp-conformance cross ## everything that tests prove but soaks: full tables and crowds, browser, release, official clients (an hour)

# The packages whose tests take longest. They start first: a long package that starts
# last runs alone while a processor waits.
LONGEST := ./server ./server/engine/ytdlp ./server/internal/service ./server/internal/e2e ./examples/transcriptd ./server/engine/ffmpeg ./server/internal/db ./internal/test/readmetest

# Packages of which make test runs nothing: their tests need other programs of npm, or many minutes.
LATER := mcpconformance|honesty

# Many tests wait: for a program, for a database, for the next attempt of a job. So more tests
# run at once than there are processors. A third package is linked, or computes, while the tests
# of two packages wait.
AT_ONCE := -p 3 -parallel 3

# Tests throw away most of what they allocate. With this, the garbage collector works less often: a
# tenth of the processor's time, for some hundred megabytes. The tests of memory set their own value.
GARBAGE := GOGC=300

# Without -short: each test on both databases, and in its full size. make lint runs go vet's checks and
# more, so go test need not run its own.
test-full: setup
	$(GO) test $(AT_ONCE) $(TIMEOUT) -vet=off $(LONGEST) ./...

# The tests that a current yt-dlp passes too, each time. A current release takes twice as long
# as the distribution's, so make soak runs the others on it.
CURRENT := Puzzle|TestCheck|ListConformance|RealProgram|RealPlugin

test-current: setup
	@test ! -e $(YTDLP)/whole || $(GO) test ./server/engine/ytdlp -parallel 2 $(TIMEOUT) -vet=off -release current -run '$(CURRENT)'

# The race detector looks at every access to memory, which makes the code that computes
# ten times as slow. These packages are compiled without the detector: SQLite, which is a
# translation from C, and expressions, schemas, compression and our readers of captions.
# They start no goroutines and compute on what they are given. The rest of our code, and
# the code that shares its connections, is compiled with the detector.
UNWATCHED := modernc.org/... regexp/... github.com/klauspost/compress/flate github.com/santhosh-tekuri/jsonschema/... github.com/swaggest/... \
	github.com/transcriptkit/transcriptkit/transcript/caption

# Packages below WATCHED whose tests show the detector nothing: the packages start no
# goroutines, or their tests run other programs, or they test in processes of their own what
# server and pipeline do in one.
WATCHED := ./client ./batch/... ./server/... ./internal/...
ALONE := captionbench|clip|legible|readmetest|mutants|house|linkcodes|mcpconformance|openapilint|browsertest|apitest|ratio|speechtest|disktest|nstest|installed
ALONE := $(ALONE)|prose|search|window|whispermodel|export|feed|retryafter|webhooksign|wire|language|limits|attempt|view|ytdlpenv
ALONE := $(ALONE)|e2e|honesty|openapi|ffmpeg|pocketsphinx|models|release|ytdlp
ALONE := $(ALONE)|batch|engine|directmedia|fasterwhisper|player|refusal|trackid|unknownhost|bulk|resource|intake|lifecycle|pasttext
ALONE := $(ALONE)|recordings|request|speech|store|s3store|reference|resumable|sitetest

# Most tests of transcriptd run its commands as other programs. Here run those of its own
# goroutines, which serve and end.
# GORACE: a program need not wait a second before it ends, as the detector reports a race
# when it sees the race.
RACE = $(GO) test -race -short $(AT_ONCE) $(TIMEOUT) -vet=off $(UNWATCHED:%='-gcflags=%=-race=false')
# Of the server's tests, those of what runs at once: the others ask one request after the other, of code
# that the tests of the rooms run with the detector. SERVER_RACE=. runs all.
SERVER_RACE := AtOnce|Crowd|Event|Watch|Drain|Stop|Window|Equal|Resum|Cancel|Wait|Stream|Removal|Follow
test-race: export GORACE = atexit_sleep_ms=0
test-race: setup ## the tests of what runs at once, with the race detector, each on the database that make test leaves out
	$(RACE) ./server/internal/service ./server/internal/queue ./server/internal/db $$($(GO) list $(WATCHED) | grep -vE '/($(ALONE)|server)$$')
	$(RACE) ./server -run '$(SERVER_RACE)'
	$(RACE) ./examples/transcriptd -run 'Drains|Second|Signal|Scraper'

# Without the race detector: make test-race runs the same code with the detector. .ci/run takes
# the small size: SIZE=-short.
test-page: setup $(AXE) $(STANDARD_WEBHOOKS) ## the tests of the website and of the API's page in a real browser
	$(GO) test ./internal/test/browsertest ./server ./examples/website ./examples/website/internal/page -count=1 -parallel 4 $(TIMEOUT) $(SIZE) -run '^TestBrowser' -browser
	$(GO) test ./internal/webhooksign -count=1 -run NPM -npm

test-release: setup-release ## a release for this machine, made twice and compared
	$(GO) -C $(RELEASE) test ./... -count=1 $(TIMEOUT)

# The compilation of the official client for Go takes minutes.
test-clients: setup-clients $(OPENAI)/whole ## the official Go and Python clients of OpenAI's API, also with a file of 300 MB
	$(GO) test -tags officialclients -count=1 -v $(TIMEOUT) -vet=off -run Official ./server/internal/openaiface ./server/internal/e2e

mcp-conformance: $(MCP_CONFORMANCE) ## the protocol's own tests of MCP servers, from npm
	$(GO) test ./internal/test/mcpconformance -count=1 -v $(TIMEOUT) -suite

soak: setup-soak ## minutes of broken connections, stopped processes and the like; SOAK=Pause: only the tests with this in their name
	$(GO) test ./server ./server/internal/corrections ./server/internal/e2e ./server/engine/ytdlp ./examples/transcriptd ./examples/internal/transcribe -count=1 -v $(TIMEOUT) -run 'Soak.*$(SOAK)' -soak
	@test ! -e $(YTDLP)/whole || $(GO) test ./server/engine/ytdlp ./server/internal/honesty -count=1 $(TIMEOUT) -release current

# One target at a time, because go test requires that. An input is minimized only once:
# with longer bounds, minimizing would take nearly all of the time.
fuzz: setup ## each fuzz target for FUZZTIME (1m), up to the first failure; FUZZ=WebVTT: only the targets with this in their name
	@grep -rE '^func Fuzz\w*$(FUZZ)\w*\(' --include='*_test.go' . | sed -E 's|^(.*)/.*:func (\w+).*|\1 \2|' | sort | \
	while read -r package target; do \
		echo "== $$target of $$package, $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x "$$package" </dev/null || exit 1; \
	done

mutants: setup ## security lines taken out of the service, one at a time: the tests that OWASP.md names must fail; MUTANT=egress: only these
	$(GO) test ./internal/test/mutants -count=1 -v -timeout 2h -parallel 2 -run TestMutants -mutants -mutant '$(MUTANT)'

# What reads the source.

# The last command compiles what users of the module can name, and who compiles in what.
lint: $(LINT) ## gofmt, golangci-lint with go vet, the measure of plain sentences, and what the compiler tells of the packages
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	@grep -rl '^//go:build race' --include='*.go' . | xargs -r -n1 $(GO) vet # which golangci-lint leaves out
	$(LINT) run --allow-parallel-runners ./...
	cd $(RELEASE) && $(CURDIR)/$(LINT) run --allow-parallel-runners ./...
	$(GO) run ./internal/prose
	$(GO) test ./server -vet=off -run 'TestNothingInternalIsExported|TestTracingIsForWhoImportsIt'

openapi-lint: $(SPECTRAL) ## a linter from npm for the OpenAPI document
	$(SPECTRAL)/node_modules/.bin/spectral lint --fail-severity=hint --ruleset internal/test/openapilint/ruleset.yaml server/openapi.json

# The compiler's cache makes a second run short: only what has changed is compiled.
CROSS := linux/arm64 linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64

cross: ## the programs for all systems of a release, compiled and not linked; CROSS=windows/amd64: only these
	@for target in $(CROSS); do \
		echo "Compiling for $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) list -export -trimpath ./examples/transcriptd ./examples/transcribe ./examples/website >/dev/null || exit 1; \
	done

# What measures.

# Each benchmark prints its rows with internal/test/ratio; this target joins them. One
# package at a time, because benchmarks disturb each other. PostgreSQL keeps every commit on the
# disk, as it is shipped. The target fails if three rounds of four miss a goal, or a count of
# allocations does; a row whose source has a reason for that shows the goal and the reason, and
# does not fail. First it reads files of full size (1 GB) in bounded memory.
bench: setup-bench ## every figure of speed, as a ratio to something else in the same run, against its goal (25 minutes); ROW=write: only these rows
	@rows=$$(mktemp) && trap 'rm -f "$$rows"' EXIT && failed=; \
	measure() { $(GO) test -count=1 $(TIMEOUT) -benchtime 1x "$$@" -row '$(ROW)' >"$$rows.out" 2>&1 || { failed=1; cat "$$rows.out"; }; \
		sed -n 's/^ratio: //p' "$$rows.out" >>"$$rows"; rm -f "$$rows.out"; }; \
	measure ./internal/test/captionbench -full -run Scale -bench Table; \
	measure ./internal/wire ./server/internal/request -p 1 -run '^$$' -bench 'Segments$$|ReadJSON$$'; \
	measure ./server -run '^$$' -bench 'Middleware|Upload1GiB'; \
	measure ./server/internal/e2e -run '^$$' -bench 'Wrk|Batch$$|BatchThroughput$$|Streams$$|NewLink$$|FirstWords$$|Capacity$$|Days$$|Bodies$$|Replica$$'; \
	measure ./server/internal/db -run '^$$' -bench 'Library|Search' -library-rows 100000 -search-rows 100000; \
	measure ./server/internal/queue -run '^$$' -bench Queue; \
	measure ./examples/transcriptd -run '^$$' -bench 'ThreeMinutes|BenchmarkStart$$'; \
	measure ./client ./server/servertest -p 1 -run '^$$' -bench 'BenchmarkWait$$|BenchmarkCall$$'; \
	echo "Ratios to something else in the same run: medians of the rounds [p25-p75], and the goal."; cat "$$rows"; \
	test -z "$$failed"

wer: setup-wer ## the words that each recognizer here hears wrong, in which time, and our own share of the time
	@out=$$(mktemp) && trap 'rm -f "$$out"' EXIT && \
	$(GO) test ./examples/transcriptd -count=1 $(TIMEOUT) -run '^$$' -bench WordErrors -benchtime 1x >"$$out" 2>&1 || { cat "$$out"; exit 1; }; \
	sed -n 's/^wer: //p' "$$out"

honesty: setup $(HONESTY)/whole ## what this service and other readers answer where the video site refuses, against server/HONESTY.md
	$(GO) test ./server/internal/honesty -count=1 -v $(TIMEOUT) -all $(if $(UPDATE),-update)

field-check: setup-wer ## all models from the internet: by hand, before a release
	@.ci/field-check

# What makes and shows the programs.

# Without MODEL it is tiny (42 MB), if its address answers within 5 s. The environment from the Python
# package index tells the speakers apart, and has a model for English if no other is to be had.
demo: setup-run ## a link with captions and a recording become transcripts; URL=https://… takes your link, MODEL=small first downloads that model
	@echo "Compiling transcriptd (minutes the first time, seconds later)"
	@$(MAKE) --no-print-directory $(WHISPER)
	@mkdir -p bin && $(GO) build -o bin/transcriptd ./examples/transcriptd
	@bin/transcriptd models pull --yes $(if $(MODEL),'$(MODEL)',--first 5s tiny) || { \
		echo "The model $(or $(MODEL),tiny) is not to be had: the demo goes on with what is there." >&2; \
	}
	@bin/transcriptd demo $${URL:+--url "$$URL"}
	@echo "Transcribe a recording or a link of yours: bin/transcriptd transcribe talk.mp3"

bare-demo: setup-bare ## the demo in a fresh clone on a bare Debian, which the command makes in a folder and removes (root, minutes)
	.ci/bare-demo

bare-deb: setup-bare ## a transcript by two commands on a bare Debian, and our unit under a systemd there (root, minutes)
	.ci/bare-deb

# The release is made by a module of its own.
RELEASE := packaging/release
OUT := dist

release: ## the files of a release of this commit, in dist; ONLY=archive,deb TARGET=linux/amd64: only these; KEY=~/.ssh/id_ed25519: signs the checksums
	@echo "Compiling the programs of each system: this takes minutes"
	$(GO) -C $(RELEASE) run . --checkout '$(CURDIR)' --out '$(CURDIR)/$(OUT)' $(if $(ONLY),--only '$(ONLY)') $(if $(TARGET),--target '$(TARGET)') $(if $(KEY),--key '$(KEY)')

release-full: setup-full ## the image with all programs, and a transcript made in it (root, network)
	$(MAKE) --no-print-directory release ONLY=full TARGET=linux/$$($(GO) env GOARCH) OUT=dist-full
	$(GO) -C $(RELEASE) test . -count=1 -v $(TIMEOUT) -run TestImageFull -full $(CURDIR)/dist-full/transcriptkit-full_*.oci.tar

release-check: setup-release ## whole releases for all targets, compiled twice and compared (half an hour)
	$(GO) -C $(RELEASE) test . -count=1 -v -timeout 3h -run TestTwoReleases -every

clean: ## removes what make has made
	rm -rf bin dist dist-full
