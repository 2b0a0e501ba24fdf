package service

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// systemYtDlp is the name under which yt-dlp is looked up like every other program.
const systemYtDlp = "yt-dlp"

// YtDlp returns the program that reads links if no flag names another: the release that make
// setup has installed in the checkout from which this program was built, else the release that
// "transcriptd yt-dlp pull" has brought, else the system's.
func YtDlp() string {
	return cmp.Or(ownYtDlp(), pulledYtDlp(), systemYtDlp)
}

// YtDlpFolder returns the user's folder for the pulled yt-dlp; empty: the user has no home.
func YtDlpFolder() string {
	if data := dataFolder(); filepath.IsAbs(data) {
		return filepath.Join(data, "yt-dlp")
	}
	return ""
}

// pulledYtDlp returns the path of the pulled program; empty: there is none.
func pulledYtDlp() string {
	program := filepath.Join(YtDlpFolder(), "yt-dlp")
	if _, err := os.Stat(program); err != nil || YtDlpFolder() == "" {
		return ""
	}
	return program
}

// OfSystem is the origin of a program that the system's packages have installed.
const OfSystem = "this system's own"

// YtDlpOrigin tells people where a program comes from that reads links.
func YtDlpOrigin(program string) string {
	switch program {
	case "":
		return ""
	case ownYtDlp():
		return "installed by make setup"
	case pulledYtDlp():
		return "brought by transcriptd yt-dlp pull"
	case systemYtDlp:
		return OfSystem
	}
	return "named by --yt-dlp"
}

// YtDlpCure returns what the operator does to get a current program instead of the given one;
// empty: these programs know no command for that.
func YtDlpCure(program string) string {
	own, root := ownYtDlp(), checkout()
	switch {
	case own != "" && program == own: // the checkout pins the release
		return "git -C " + root + " pull && make -C " + root + " setup"
	case own != "":
		return "leave --yt-dlp out: make setup has installed a current release"
	}
	cure := "transcriptd yt-dlp pull --newest"
	switch {
	case root != "":
		cure = "make -C " + root + " setup"
	case !release.Supported():
		return ""
	}
	if program != YtDlp() {
		cure += ", and leave --yt-dlp out"
	}
	return cure
}
