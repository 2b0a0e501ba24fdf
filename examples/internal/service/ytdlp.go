package service

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// YtDlp returns the program that reads links if no flag names another: the release that make
// setup has installed in the checkout from which this program was built, otherwise the release
// that "transcriptd yt-dlp pull" has downloaded, otherwise the system's.
func YtDlp() string { return ytDlpHere().first() }

// YtDlpOrigin tells people the origin of the program that reads links.
func YtDlpOrigin(program string) string { return ytDlpHere().origin(program) }

// YtDlpCure returns what the operator can do to get a current program instead of the given
// one, or empty if these programs have no command for that.
func YtDlpCure(program string) string { return ytDlpHere().cure(program) }

// YtDlpFolder returns the user's folder for the pulled yt-dlp, or empty if the user has no
// home.
func YtDlpFolder() string {
	if data := dataFolder(); filepath.IsAbs(data) {
		return filepath.Join(data, "yt-dlp")
	}
	return ""
}

// systemYtDlp is the name under which yt-dlp is looked up like every other program.
const systemYtDlp = "yt-dlp"

// OfSystem is the origin of a program from the system's packages.
const OfSystem = "this system's own"

// ytDlpPlaces are the places of yt-dlp on a machine. An empty member means that there is none.
type ytDlpPlaces struct {
	checkout string // the folder of the repository
	own      string // the program that make setup has installed
	pulled   string // the program that "transcriptd yt-dlp pull" has downloaded
}

func ytDlpHere() ytDlpPlaces {
	p := ytDlpPlaces{checkout: checkout()}
	if program := filepath.Join(p.checkout, "bin", "yt-dlp", "bin", "yt-dlp"); p.checkout != "" && trusted(program) {
		p.own = program
	}
	if folder := YtDlpFolder(); folder != "" {
		if _, err := os.Stat(filepath.Join(folder, "yt-dlp")); err == nil {
			p.pulled = filepath.Join(folder, "yt-dlp")
		}
	}
	return p
}

func (p ytDlpPlaces) first() string { return cmp.Or(p.own, p.pulled, systemYtDlp) }

func (p ytDlpPlaces) origin(program string) string {
	switch program {
	case systemYtDlp:
		return OfSystem
	case p.own:
		return "installed by make setup"
	case p.pulled:
		return "downloaded by transcriptd yt-dlp pull"
	}
	return "named by --yt-dlp"
}

func (p ytDlpPlaces) cure(program string) string {
	var cure string
	switch {
	case p.own != "" && program == p.own: // the checkout pins the release
		return "git -C " + p.checkout + " pull && make -C " + p.checkout + " setup"
	case p.own != "":
		return "leave --yt-dlp out: make setup has installed a current release"
	case p.checkout != "":
		cure = "make -C " + p.checkout + " setup"
	case release.Supported():
		cure = "transcriptd yt-dlp pull --newest"
	default:
		return ""
	}
	if program != p.first() {
		cure += ", and leave --yt-dlp out"
	}
	return cure
}
