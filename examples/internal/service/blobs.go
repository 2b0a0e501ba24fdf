package service

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"

	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/s3blob"
)

// stores are the schemes of the object stores that are compiled in.
var stores = []string{s3blob.Scheme, gcsblob.Scheme, azureblob.Scheme}

// BlobPlace is where uploads and audio are kept: a folder, or the URL of one or of
// an object store's bucket.
type BlobPlace string

// UnmarshalText is called by the parser. No error repeats the value, which may hold a
// password.
func (p *BlobPlace) UnmarshalText(text []byte) error {
	*p = BlobPlace(text)
	if p.isFolder() && !missesSlashes(string(text)) {
		return nil
	}
	u, err := url.Parse(string(text))
	if err != nil || !slices.Contains(stores, u.Scheme) || u.Host == "" {
		return errors.New("want a folder, s3://BUCKET, gs://BUCKET or azblob://CONTAINER")
	}
	if u.User != nil {
		return errors.New("want no credentials in the URL: they belong into the environment, see server/OPERATIONS.md")
	}
	if endpoint := u.Query().Get("endpoint"); endpoint != "" {
		at, err := url.Parse(endpoint)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.User != nil {
			return errors.New("want endpoint=http://HOST:PORT or endpoint=https://HOST:PORT")
		}
	}
	return nil
}

// missesSlashes is true of s3:BUCKET and s3:/BUCKET, which are no folders that anybody
// means.
func missesSlashes(place string) bool {
	scheme, rest, colon := strings.Cut(place, ":")
	return colon && slices.Contains(stores, scheme) && !strings.HasPrefix(rest, "//")
}

func (p BlobPlace) isFolder() bool {
	scheme, _, isURL := strings.Cut(string(p), "://")
	return !isURL || scheme == fileblob.Scheme
}

// make creates the folder where there is none.
func (p BlobPlace) make() error {
	if !p.isFolder() {
		return nil
	}
	path, _ := strings.CutPrefix(string(p), "file://")
	return os.MkdirAll(path, 0o700)
}

// addresses are those of an object store that is not the public one of its kind: of
// the URL's endpoint, and of those that the SDK of S3 finds in the environment.
func (p BlobPlace) addresses() (all []string) {
	if p.isFolder() {
		return nil
	}
	u, err := url.Parse(string(p))
	if err != nil {
		return nil // UnmarshalText has parsed it
	}
	endpoints := []string{u.Query().Get("endpoint")}
	if u.Scheme == s3blob.Scheme {
		endpoints = append(endpoints, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")) //nolint:forbidigo // where the SDK looks, too
	}
	for _, endpoint := range endpoints {
		at, err := url.Parse(endpoint)
		if err != nil || at.Hostname() == "" || standardPorts()[at.Scheme] == "" {
			continue // none, or nothing that the SDK could use
		}
		if address := (serviceURL{at}).address(); !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}
