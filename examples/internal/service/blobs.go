package service

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

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
		return errors.New("want no credentials in the URL: put them into the environment, see server/OPERATIONS.md")
	}
	if endpoint := u.Query().Get("endpoint"); endpoint != "" {
		at, err := url.Parse(endpoint)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.User != nil {
			return errors.New("want endpoint=http://HOST:PORT or endpoint=https://HOST:PORT")
		}
	}
	return nil
}

// missesSlashes reports a text such as s3:BUCKET or s3:/BUCKET, which is more likely a mistyped
// URL than the name of a folder.
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

// addresses are the addresses of an object store that is not Amazon's: the endpoint of
// the URL, and the endpoints that the SDK finds in the environment.
func (p BlobPlace) addresses() (all []string) {
	if p.isFolder() {
		return nil
	}
	u, err := url.Parse(string(p))
	if err != nil {
		return nil // not reached: UnmarshalText has parsed it
	}
	endpoints := []string{u.Query().Get("endpoint")}
	endpoints = append(endpoints, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")) //nolint:forbidigo // the SDK reads these variables too
	for _, endpoint := range endpoints {
		at, err := url.Parse(endpoint)
		if err != nil || at.Hostname() == "" || standardPorts()[at.Scheme] == "" {
			continue // no endpoint, or an unusable one
		}
		if address := (serviceURL{at}).address(); !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}
