package ytdlp_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var releaseFlag = flag.String("release", "distribution", "run the tests with this yt-dlp: distribution, or current, which make setup installs")

// release is a yt-dlp of this machine.
type release struct {
	program string // the program with all its extractors
	python  string // the interpreter that has the program's modules
	scripts string // a folder with the scripts of testdata that this interpreter runs
}

// installed is the release that the tests run.
var installed release

// TestMain chooses the release. It writes the scripts before any test starts a program: a file
// that was just open for writing may not be run while another test starts a program.
func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "ytdlp-test-")
	if err == nil {
		installed, err = chooseRelease(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // the system clears its folder of temporary files
	os.Exit(code)
}

func chooseRelease(dir string) (release, error) {
	environment, err := filepath.Abs("../../../bin/yt-dlp/bin")
	if err != nil {
		return release{}, err
	}
	r := release{filepath.Join(environment, "yt-dlp"), filepath.Join(environment, "python"), dir}
	switch *releaseFlag {
	case "distribution":
		r.program, r.python = "yt-dlp", "/usr/bin/python3"
	case "current":
		if _, err := os.Stat(r.program); err != nil {
			return r, err
		}
	default:
		return r, fmt.Errorf("-release %s: want distribution or current", *releaseFlag)
	}
	if r.program != "yt-dlp" { // the runtime is found in the folder of the program
		if err := os.Symlink(filepath.Join(environment, "deno"), filepath.Join(dir, "deno")); err != nil {
			return r, err
		}
	}
	for _, name := range []string{"yt-dlp-site", "yt-dlp-pages", "yt-dlp-catalog", "yt-dlp-recorder"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return r, err
		}
		text = bytes.Replace(text, []byte("#!/usr/bin/python3\n"), []byte("#!"+r.python+"\n"), 1)
		if err := os.WriteFile(r.script(name), text, 0o700); err != nil { //nolint:gosec // it is run
			return r, err
		}
	}
	return r, nil
}

// script returns the path of a script of the folder testdata.
func (r release) script(name string) string { return filepath.Join(r.scripts, name) }
