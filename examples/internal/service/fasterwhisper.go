package service

import (
	"os"
	"path/filepath"
)

// FasterWhisperFlag is the flag for an environment with faster-whisper.
type FasterWhisperFlag struct {
	FasterWhisper Executable `name:"faster-whisper" default:"${fasterwhisper}" placeholder:"PATH" help:"The interpreter of a Python environment with faster-whisper and its model tiny.en. Default: in a checkout, the environment that make setup has installed."`
}

// hasFasterWhisper reports whether the interpreter is there.
func (f FasterWhisperFlag) hasFasterWhisper() bool {
	_, err := os.Stat(string(f.FasterWhisper))
	return err == nil && filepath.IsAbs(string(f.FasterWhisper))
}

// FasterWhisper returns the interpreter of the environment that make setup, or make demo, has
// installed in the checkout from which this program was built; empty: there is none.
func FasterWhisper() string {
	root := checkout()
	environment := filepath.Join(root, "bin", "whisper")
	if _, err := os.Stat(filepath.Join(environment, "whole")); err != nil || root == "" { // the last step of the installation
		return ""
	}
	return filepath.Join(environment, "bin", "python")
}
