package service

import (
	"errors"
	"net/url"
	"os"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// BlobsFlag is the flag of every command that touches uploads and audio.
type BlobsFlag struct {
	Blobs BlobPlace `default:"${blobs}" placeholder:"PLACE" help:"Where uploads and audio are kept, until an hour after their job ends, and the recordings that accounts keep: a folder (${default}), or s3://BUCKET?OPTION=…."`
}

// BlobPlace is where uploads and audio are kept: a folder, or the URL of a bucket.
type BlobPlace string

// UnmarshalText is called by the parser. No error repeats the value, because the value
// may hold a password.
func (p *BlobPlace) UnmarshalText(text []byte) error {
	*p = BlobPlace(text)
	if p.isFolder() && !missesSlashes(string(text)) {
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || u.Scheme != s3store.Scheme || u.Host == "" {
		return errors.New("want a folder or s3://BUCKET")
	}
	if u.User != nil {
		return errors.New("want no credentials in the URL: put them into the environment, see docs/operate/many-machines.md")
	}
	if endpoint := u.Query().Get("endpoint"); endpoint != "" {
		at, err := url.Parse(endpoint)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.User != nil {
			return errors.New("want endpoint=http://HOST:PORT or endpoint=https://HOST:PORT")
		}
	}
	return nil
}

// missesSlashes reports a text such as s3:BUCKET or s3:/BUCKET, which is probably a mistyped
// URL, and not the name of a folder.
func missesSlashes(place string) bool {
	rest, isURL := strings.CutPrefix(place, s3store.Scheme+":")
	return isURL && !strings.HasPrefix(rest, "//")
}

func (p BlobPlace) isFolder() bool { return !strings.Contains(string(p), "://") }

// make creates the folder if it does not exist.
func (p BlobPlace) make() error {
	if !p.isFolder() {
		return nil
	}
	return os.MkdirAll(string(p), 0o700)
}

// Find returns an error if the place is a folder that does not exist. It is for commands that need
// the blobs of a service: a mistyped name would be an empty place.
func (p BlobPlace) Find() error {
	if !p.isFolder() {
		return nil
	}
	if _, err := os.Stat(string(p)); err != nil {
		return &FlagError{"--blobs", err}
	}
	return nil
}

// addresses is the address of an object store that is not Amazon's, which no link may reach.
func (p BlobPlace) addresses() []string {
	if p.isFolder() {
		return nil
	}
	u, err := url.Parse(string(p))
	if err != nil {
		return nil // not reached: UnmarshalText has parsed it
	}
	at, err := url.Parse(u.Query().Get("endpoint"))
	if err != nil || at.Hostname() == "" {
		return nil // Amazon's
	}
	return []string{settings.Address(at)}
}
