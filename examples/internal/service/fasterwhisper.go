package service

import (
	"cmp"
	"os"
	"path/filepath"
)

// imageWhisper is the interpreter of the environment in the full image.
const imageWhisper = "/opt/whisper/bin/python"

// fasterWhisper returns the interpreter of an environment with faster-whisper, or empty if none is
// known.
func (f RecognizersFlag) fasterWhisper() string {
	return cmp.Or(f.Recognizers.FasterWhisper, FasterWhisper())
}

// hasFasterWhisper reports whether the interpreter exists.
func (f RecognizersFlag) hasFasterWhisper() bool {
	python := f.fasterWhisper()
	_, err := os.Stat(python)
	return err == nil && filepath.IsAbs(python)
}

// FasterWhisper returns the interpreter of the environment that make setup, or make demo, has
// installed in the checkout from which this program was built. Otherwise it returns the
// interpreter of the full image, or empty if there is none.
func FasterWhisper() string {
	root := checkout()
	environment := filepath.Join(root, "bin", "whisper")
	if _, err := os.Stat(filepath.Join(environment, "whole")); err == nil && root != "" { // the last step of the installation
		return filepath.Join(environment, "bin", "python")
	}
	if trusted(imageWhisper) {
		return imageWhisper
	}
	return ""
}
