package service

import (
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"
)

// Vars are what the texts of [Flags] name: where a program of that name listens and keeps
// things that is told nothing else, and its drain delay. Models are in one folder for all
// programs.
func Vars(program, listen, drain string) kong.Vars {
	return kong.Vars{
		"listen": listen, "drain": drain, "models": ModelsFolder(), "database": "sqlite:" + program + ".db", "blobs": program + "-blobs",
	}
}

// ModelsFolder is the user's folder for models that were pulled, as the XDG base
// directories have it; for whom there are none, one where the program runs.
func ModelsFolder() string {
	base := os.Getenv("XDG_DATA_HOME") //nolint:forbidigo // the programs that share this package all want it
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "transcriptd-models"
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "transcriptd", "models")
}

// SearchPath is where programs are looked up.
func SearchPath() string {
	return os.Getenv("PATH") //nolint:forbidigo // as above
}
