package transcribe

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/transcriptkit/transcriptkit/client"
)

const (
	// resumes is how many bytes a recording has at least whose upload goes on after a break.
	resumes = 16 << 20
	// begunLasts is how long the service keeps an upload after its last request.
	begunLasts = 24 * time.Hour
)

// begun is an upload that has begun, as a small file in the caller's cache. It holds the
// idempotency key: with it the same command goes on with the upload, also after a kill. The file
// is locked while a process sends. nil: the upload begins again with each command.
type begun struct {
	path string
	key  string
	lock *flock.Flock
}

// begin returns the upload of a recording, which an earlier command may have begun. Without a
// cache, or while another process sends the same recording, begin returns nil.
func (w *work) begin(file mediaFile) *begun {
	cache, err := os.UserCacheDir()
	if err != nil || file.size < resumes || w.own {
		return nil
	}
	dir := filepath.Join(cache, "transcribe", "uploads")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	removeOld(dir)
	b := &begun{path: filepath.Join(dir, w.nameOf(file))}
	b.lock = flock.New(b.path)
	if held, err := b.lock.TryLock(); err != nil || !held {
		return nil
	}
	if known, err := os.ReadFile(b.path); err == nil {
		b.key = strings.TrimSpace(string(known))
	}
	if b.key == "" {
		b.key = rand.Text()
		if err := os.WriteFile(b.path, []byte(b.key+"\n"), 0o600); err != nil {
			_ = b.lock.Unlock() // as in end
			return nil
		}
	}
	return b
}

// nameOf names the upload of a recording, as it is now, to this service with these wishes.
func (w *work) nameOf(file mediaFile) string {
	path, err := filepath.Abs(file.path)
	if err != nil {
		path = file.path
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%d\n%q\n%t\n%d", w.client, path, file.size, file.modified.UnixNano(), w.Language, w.withMetadata(), w.KeepMedia))
	if w.listens() {
		sum = sha256.Sum256(fmt.Appendf(sum[:], "%+v", w.heardAs))
	}
	return hex.EncodeToString(sum[:16])
}

// end ends the use of the file. The file stays if the sending has broken off: then the returned
// error says that the same command goes on.
func (b *begun) end(err error) error {
	if b == nil {
		return err
	}
	defer b.lock.Unlock() //nolint:errcheck // the lock ends with the process anyway
	var refused *client.Error
	var written *writtenError
	var sent *client.WaitError // the job has begun
	if err != nil && !errors.As(err, &refused) && !errors.As(err, &written) && !errors.As(err, &sent) {
		return &brokenOffError{err}
	}
	_ = os.Remove(b.path) // else removeOld removes it
	return err
}

// brokenOffError is a sending with which the same command goes on.
type brokenOffError struct{ error }

func (e *brokenOffError) Unwrap() error { return e.error }

const goesOnSending = "the same command goes on with the upload"

// removeOld removes the files of uploads that the service no longer has.
func removeOld(dir string) {
	entries, _ := os.ReadDir(dir) // without a list, nothing is removed
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > begunLasts {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next command removes it
		}
	}
}
