package service

import (
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

// Vars are the variables in the texts of [Flags]: the program's version, default address, default
// places and drain delay, and the program that reads links. All programs share one folder for
// models.
func Vars(program, listen, drain string) kong.Vars {
	return kong.Vars{
		"version": program + " " + Version(),
		"listen":  listen, "drain": drain, "models": ModelsFolder(), "database": "sqlite:" + program + ".db", "blobs": program + "-blobs",
		"ytdlp": YtDlp(), "ytdlpfolder": YtDlpFolder(), "ytdlprelease": release.Known().Version,
	}
}

// ModelsFolder returns the user's folder for pulled models. If the user has no home, it is a
// folder in the working directory.
func ModelsFolder() string {
	if data := dataFolder(); data != "" {
		return filepath.Join(data, "models")
	}
	return "transcriptd-models"
}

// dataFolder returns the user's folder for pulled files, according to the XDG base
// directories, or empty if the user has no home.
func dataFolder() string {
	base := os.Getenv("XDG_DATA_HOME") //nolint:forbidigo // all programs that share this package need it
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "transcriptd")
}

// SearchPath returns the folders in which programs are looked up.
func SearchPath() string {
	return os.Getenv("PATH") //nolint:forbidigo // as above
}

// trialsFolder returns the user's folder for notes about programs that have passed a check,
// or empty if the user has no folder for caches.
func trialsFolder() string {
	base, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "transcriptd", "programs")
}
