package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// installed is a file of the checkout in the Debian package.
type installed struct {
	from, to string
	mode     os.FileMode
	kind     string // of nfpm
}

// installedFiles are the files of the package that the checkout has.
var installedFiles = []installed{
	{"LICENSE", "/usr/share/doc/transcriptkit/copyright", plainMode, files.TypeFile},
	{"CHANGELOG.md", "/usr/share/doc/transcriptkit/CHANGELOG.md", plainMode, files.TypeFile},
	{"README.md", "/usr/share/doc/transcriptkit/README.md", plainMode, files.TypeFile},
	{"packaging/systemd/transcriptd.service", "/usr/lib/systemd/system/transcriptd.service", plainMode, files.TypeFile},
	{"packaging/systemd/transcriptd.socket", "/usr/lib/systemd/system/transcriptd.socket", plainMode, files.TypeFile},
	{"packaging/systemd/transcriptd.sysusers", "/usr/lib/sysusers.d/transcriptd.conf", plainMode, files.TypeFile},
	{"packaging/systemd/transcriptd.tmpfiles", "/usr/lib/tmpfiles.d/transcriptd.conf", plainMode, files.TypeFile},
	{"packaging/systemd/transcriptd.env", "/etc/transcriptd/transcriptd.env", 0o600, files.TypeConfig}, // for passwords
}

// debian returns the Debian package for a target.
func (c *checkout) debian(t target, built []program, m *manuals) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release-deb-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it does no harm if the temporary folder stays
	made, err := m.installed()
	if err != nil {
		return nil, err
	}
	for _, p := range built {
		made = append(made, file{path: "usr/bin/" + p.name, mode: programMode, data: p.data})
	}
	var contents files.Contents
	for i, f := range made { // nfpm reads files
		from := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(from, f.data, 0o600); err != nil {
			return nil, err
		}
		contents = append(contents, c.content(installed{from, "/" + f.path, f.mode, files.TypeFile}))
	}
	for _, f := range installedFiles {
		f.from = c.path(f.from)
		contents = append(contents, c.content(f))
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: name, Arch: t.arch, Platform: t.os, Version: built[0].info.Main.Version, MTime: c.time,
		Maintainer: "transcriptkit authors <transcriptkit@users.noreply.github.com>", Homepage: "https://" + built[0].info.Main.Path, License: license,
		Section: "sound", Priority: "optional",
		Description: "Timestamped transcripts of links and recordings\n" +
			"transcriptd is a service that turns links and recordings into text, transcribe is\nits command line, and website serves pages to people.",
		Overridables: nfpm.Overridables{
			Contents: contents,
			Umask:    0o022,
			Depends:  []string{"ca-certificates", "passwd"},
			// The role api starts none of these programs. apt installs them unless it is told not to.
			Recommends: []string{"ffmpeg", "yt-dlp", "pocketsphinx", "pocketsphinx-en-us"},
			Suggests:   []string{"postgresql"},
			Scripts: nfpm.Scripts{
				PostInstall: c.path("packaging/deb/postinst"), PreRemove: c.path("packaging/deb/prerm"), PostRemove: c.path("packaging/deb/postrm"),
			},
		},
	})
	var to bytes.Buffer
	if err := deb.Default.Package(info, &to); err != nil {
		return nil, fmt.Errorf("the Debian package: %w", err)
	}
	return to.Bytes(), nil
}

func (c *checkout) content(f installed) *files.Content {
	return &files.Content{
		Source: f.from, Destination: f.to, Type: f.kind,
		FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: c.time},
	}
}
