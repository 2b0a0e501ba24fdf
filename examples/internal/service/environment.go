package service

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"

	"github.com/alecthomas/kong"
)

// Vars are what the flags' own texts name: where a program of that name keeps things
// that is told nothing else. Models are in one folder for all programs.
func Vars(program string) kong.Vars {
	return kong.Vars{"models": ModelsFolder(), "database": "sqlite:" + program + ".db", "blobs": program + "-blobs"}
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

// WithoutValue takes out of a parser's error what a variable of the environment holds,
// which may be a password.
func WithoutValue(err error) error {
	return errors.New(regexp.MustCompile(`(?s) \(from envar (\w+)=.*\)$`).ReplaceAllString(err.Error(), " (from $$$1)"))
}
