package release

import (
	"bytes"
	"context"
	_ "embed" // the publisher's key
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// publisher is the armored public key with which yt-dlp's publisher signs releases.
//
//go:embed publisher.asc
var publisher []byte

// The names of the sums and of their signature, and their largest sizes in bytes.
const (
	sumsName, mostSums           = "SHA2-256SUMS", 64 << 10
	signatureName, mostSignature = sumsName + ".sig", 16 << 10
)

// signed returns the sums of the newest release, after it has checked their signature. It takes
// local files of the sums out of the sources.
func (f *Folder) signed(ctx context.Context, from *models.Sources) ([]byte, error) {
	sums, err := f.small(ctx, sumsName, mostSums, from)
	if err != nil {
		return nil, err
	}
	signature, err := f.small(ctx, signatureName, mostSignature, from)
	if err != nil {
		return nil, err
	}
	return sums, f.check(sums, signature)
}

// check judges a signature. Sums that were signed before the compiled-in release was published
// are not those of the newest release.
func (f *Folder) check(sums, signature []byte) error {
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(f.publisher))
	if err != nil {
		return fmt.Errorf("release: Publisher: %w", err)
	}
	made, _, err := openpgp.VerifyDetachedSignature(keys, bytes.NewReader(sums), bytes.NewReader(signature), nil)
	if err != nil {
		return fmt.Errorf("%w: %w: nothing was downloaded: use another server, or the release %s, whose hash is compiled in", ErrSignature, err, f.known.Version)
	}
	published, err := time.Parse("2006.01.02", f.known.Version)
	if err != nil {
		return fmt.Errorf("release: Known: %w", err)
	}
	if made.CreationTime.Before(published) {
		return fmt.Errorf("%w: its sums were signed on %s, before the release %s: the server may withhold newer ones, use another",
			ErrOld, made.CreationTime.UTC().Format(time.DateOnly), f.known.Version)
	}
	return nil
}

// small returns a small file: a local one, or one from the server.
func (f *Folder) small(ctx context.Context, name string, most int64, from *models.Sources) ([]byte, error) {
	at := slices.IndexFunc(from.Files, func(path string) bool { return filepath.Base(path) == name })
	switch {
	case at >= 0:
		path := from.Files[at]
		from.Files = slices.Delete(slices.Clone(from.Files), at, at+1)
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("release: %w", err)
		}
		defer func() { _ = file.Close() }() // it is only read
		return readAll(file, name, most)
	case len(from.Files) > 0:
		return nil, fmt.Errorf("release: the newest release needs local files named %s and %s too: %s is missing", sumsName, signatureName, name)
	}
	return f.download(ctx, f.releases+"/latest/download/"+name, from.Mirror, name, most)
}

// hashOf returns the hash of a file. Each line of sums has a hash, two spaces or " *", and a
// name.
func hashOf(file string, sums []byte) (string, error) {
	var found []string
	for line := range strings.Lines(string(sums)) {
		hash, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if strings.TrimLeft(name, " *") != file {
			continue
		}
		if raw, err := hex.DecodeString(hash); err != nil || len(raw) != 32 {
			return "", fmt.Errorf("release: the hash of %s in %s is malformed", file, sumsName)
		}
		found = append(found, strings.ToLower(hash))
	}
	if len(found) != 1 {
		return "", fmt.Errorf("release: %s names %s %d times, and should once", sumsName, file, len(found))
	}
	return found[0], nil
}
