package ytdlp

import "github.com/transcriptkit/transcriptkit/server/engine"

// These texts tell how to repair the program's faults, in words that follow "X is missing: ".
// Errors and findings use them.
const (
	getProgram = `install the latest release of yt-dlp with its solver scripts and curl_cffi, as the file yt-dlp_linux (on ARM yt-dlp_linux_aarch64) of ` +
		`https://github.com/yt-dlp/yt-dlp/releases/latest kept as /usr/local/bin/yt-dlp, or by PIPX_HOME=/opt/pipx PIPX_BIN_DIR=/usr/local/bin ` +
		`pipx install --force "yt-dlp[default,curl-cffi]"; packages of Debian and others are too old before long`
	getRuntime = `install deno 2.3 or later, by npm install -g deno, or from https://github.com/denoland/deno/releases as /usr/local/bin/deno ` +
		`(Node.js 22 or later and QuickJS 2025-4-26 or later serve too; Debian 12's packages nodejs, 18, and quickjs, 2021, are too old)`
	confine = "install yt-dlp " + string(withoutSmuggling) + " or later, or " + engine.CureUnconfined
)
