package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// manuals are what the programs write about themselves: the manual pages, and the completions of
// shells. The licenses of the modules are those of one target.
type manuals struct {
	pages       []file // NAME.1
	completions []completion
	licenses    file
}

// completion is the code with which a shell completes the command line of a program.
type completion struct {
	program string
	shell   shell
	code    []byte
}

// shell names the files of completions; %s stands for the name of the program.
type shell struct{ name, archived, installed string }

var shells = []shell{
	{"bash", "completions/%s.bash", "usr/share/bash-completion/completions/%s"},
	{"zsh", "completions/_%s", "usr/share/zsh/vendor-completions/_%s"},
	{"fish", "completions/%s.fish", "usr/share/fish/vendor_completions.d/%s.fish"},
}

func (c completion) file(named string) file {
	return file{path: fmt.Sprintf(named, c.program), mode: plainMode, data: c.code}
}

// manuals asks the programs that were built for this machine.
func (c *checkout) manuals(ctx context.Context) (*manuals, error) {
	built, err := c.build(ctx, host)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "release-manuals-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it does no harm if the temporary folder stays
	m := &manuals{}
	for _, p := range built {
		path := filepath.Join(dir, p.name)
		if err := os.WriteFile(path, p.data, 0o700); err != nil { //nolint:gosec // it is a program
			return nil, err
		}
		page, err := told(ctx, path, "--man")
		if err != nil {
			return nil, err
		}
		m.pages = append(m.pages, file{path: p.name + ".1", mode: plainMode, data: page})
		ask := "completion"
		if p.name == "transcribe" { // which has no commands
			ask = "--completion"
		}
		for _, s := range shells {
			code, err := told(ctx, path, ask, s.name)
			if err != nil {
				return nil, err
			}
			m.completions = append(m.completions, completion{p.name, s, code})
		}
	}
	return m, nil
}

// told returns what a program prints for a user of any machine.
func told(ctx context.Context, program string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = filepath.Dir(program), []string{"HOME=/home/user", "PATH=/usr/bin"}
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w: %s", command.Args, err, complaint.String())
	}
	return printed, nil
}

// archived returns the files for an archive.
func (m *manuals) archived() (files []file) {
	files = append(files, m.licenses)
	for _, page := range m.pages {
		page.path = "man/man1/" + page.path
		files = append(files, page)
	}
	for _, c := range m.completions {
		files = append(files, c.file(c.shell.archived))
	}
	return files
}

// installed returns the files for a Debian package, in which manual pages are compressed.
func (m *manuals) installed() (files []file, err error) {
	licenses := m.licenses
	licenses.path = "usr/share/doc/transcriptkit/LICENSES.txt"
	files = append(files, licenses)
	for _, page := range m.pages {
		var to bytes.Buffer
		w := gzip.NewWriter(&to)
		if _, err := w.Write(page.data); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		page.path, page.data = "usr/share/man/man1/"+page.path+".gz", to.Bytes()
		files = append(files, page)
	}
	for _, c := range m.completions {
		files = append(files, c.file(c.shell.installed))
	}
	return files, nil
}
