// Package release installs the official executable of yt-dlp, which needs no Python. It
// installs the release with the compiled-in hash, or the newest release, which it
// checks by the publisher's signed hashes.
//
//	folder, err := release.Open(release.Options{Dir: "/var/lib/transcriptd/yt-dlp"})
//	plan, err := folder.Plan(ctx, models.Sources{}) // what, from where, how many bytes
//	version, err := folder.Pull(ctx, plan, nil)
//	folder.Program() // for ytdlp.Options
//
// Downloads are those of package models: an interrupted download continues, and a file
// gets its name only after its hash was checked. A new release replaces an older one
// atomically, after it has run once. The package never replaces a release by an older
// one, even if a server offers the older one with its genuine signature.
package release

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// Errors to compare with errors.Is. The messages of the wrapping errors have the
// details. See also [models.ErrHash], [models.ErrBusy] and [models.ErrUnreachable].
var (
	// ErrUnsupported reports a system for which no executable is published.
	ErrUnsupported = errors.New("for this system no executable without Python is published")
	// ErrSignature reports sums that the publisher has not signed.
	ErrSignature = errors.New("the publisher has not signed these sums")
	// ErrOld reports a release that is older than the compiled-in one or the installed
	// one.
	ErrOld = errors.New("the release is old")
)

// Release is a published release.
type Release struct {
	// Version is the date of the release: "2026.08.19".
	Version string
	// SHA256 maps the name of each executable to its hash, in hexadecimal.
	SHA256 map[string]string
}

// Known returns the release whose hashes are compiled in.
func Known() Release {
	return Release{"2026.08.19", map[string]string{
		"yt-dlp_linux":         "58162f9bfdc27458ea47bfcb311cf47028f17d8154a8bf7d689861d46399230a",
		"yt-dlp_linux_aarch64": "b16e4dab368a816cd05d477d698a605a6ae87ccee1c8ffd38fa21d7254141fcc",
	}}
}

// releases is the publisher's address of releases.
const releases = "https://github.com/yt-dlp/yt-dlp/releases"

// Options configure a [Folder].
type Options struct {
	// Dir is the folder. It is required; the first pull creates it.
	Dir string
	// HTTP downloads files; nil means a client without a proxy. The folder sets its own policy
	// for redirects.
	HTTP *http.Client
	// Programs runs the executable to learn its version. nil means a runner of the folder's
	// own, which confines the executable like a server does.
	Programs engine.Runner
	// Known replaces the compiled-in release, and Publisher the publisher's armored public key,
	// for programs with releases of their own.
	Known     Release
	Publisher []byte
	// Releases is the address that has the folders of releases; empty means the publisher's.
	Releases string
}

// Folder is a folder with the pulled executable. It is safe for concurrent use, also by
// several processes: only one of them changes it at a time. It need not be closed.
type Folder struct {
	dir       string
	http      *http.Client
	programs  engine.Runner
	known     Release
	publisher []byte
	releases  string
	pause     time.Duration // before a request is repeated
}

// Open returns the folder, which need not exist yet. The error names the invalid option.
func Open(o Options) (*Folder, error) {
	if o.Dir == "" {
		return nil, errors.New("release: Dir: no folder is named")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("release: Dir: %w", err)
	}
	if o.Programs == nil {
		if o.Programs, err = run.New(run.Config{Dir: os.TempDir()}); err != nil {
			return nil, fmt.Errorf("release: Programs: %w", err)
		}
	}
	f := &Folder{
		dir: dir, http: cmp.Or(o.HTTP, &http.Client{Transport: &http.Transport{}}), programs: o.Programs, known: o.Known,
		publisher: o.Publisher, releases: cmp.Or(o.Releases, releases), pause: time.Second,
	}
	if f.known.Version == "" {
		f.known = Known()
	}
	if f.publisher == nil {
		f.publisher = publisher
	}
	return f, nil
}

// Dir returns the folder's absolute path.
func (f *Folder) Dir() string { return f.dir }

// Program returns the path of the executable, which need not exist.
func (f *Folder) Program() string { return filepath.Join(f.dir, "yt-dlp") }

// Known returns the version of the release whose hashes are compiled in.
func (f *Folder) Known() string { return f.known.Version }

// Supported reports whether an executable is published for this system.
func Supported() bool {
	_, err := executable()
	return err == nil
}

// executable returns the name of the published file for this system.
func executable() (string, error) {
	name := map[string]string{"linux/amd64": "yt-dlp_linux", "linux/arm64": "yt-dlp_linux_aarch64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if name == "" {
		return "", fmt.Errorf("%w: install yt-dlp by the system's packages or by pipx", ErrUnsupported)
	}
	return name, nil
}

// present returns the version of the executable in the folder, or empty if there is none that
// runs.
func (f *Folder) present(ctx context.Context) string {
	if _, err := os.Stat(f.Program()); err != nil {
		return ""
	}
	version, _ := f.version(ctx, f.Program()) // a file that does not run may be replaced
	return version
}

// holds reports whether the folder's executable has a hash.
func (f *Folder) holds(hash string) bool {
	file, err := os.Open(f.Program())
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it is only read
	is := sha256.New()
	if _, err := io.Copy(is, file); err != nil {
		return false
	}
	return strings.EqualFold(hex.EncodeToString(is.Sum(nil)), hash)
}
