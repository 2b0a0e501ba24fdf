package transcribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"
)

// ledger remembers what became of the recordings in a watched folder, so that each recording is
// transcribed once, also if the program is killed. It is a file in that folder. Safe for
// concurrent use.
type ledger struct {
	path string

	mu      sync.Mutex
	entries map[string]entry // by the name of the text
}

// entry is what became of one recording. Without Job, Done and Failed, the recording is being
// sent.
type entry struct {
	Recording string    `json:"recording"` // its name
	Size      int64     `json:"size"`      // its size in bytes when it was sent
	Modified  time.Time `json:"modified"`  // when it was last changed before it was sent
	// Key is the idempotency key of the request: with it the same request can be sent again
	// and makes no second job.
	Key  string `json:"key,omitempty"`
	Job  string `json:"job,omitempty"`  // the job that makes the text
	Done bool   `json:"done,omitempty"` // the text is written
	// Written is when the last text was written. A text with another time was changed by
	// somebody else, and must not be replaced.
	Written *time.Time `json:"written,omitempty"`
	Failed  string     `json:"failed,omitempty"` // why there is no text
}

const (
	ledgerName = ".transcribe.json"
	lockName   = ".transcribe.lock"
)

// errWatched reports that another process watches a folder.
var errWatched = errors.New("another transcribe watches this folder")

// openLedger opens the ledger of a folder. It keeps other processes out of the folder until
// close, or until this process ends.
func openLedger(folder string) (l *ledger, unlock func(), err error) {
	lock := flock.New(filepath.Join(folder, lockName))
	switch held, err := lock.TryLock(); {
	case err != nil:
		return nil, nil, fmt.Errorf("the folder cannot be locked: %w", err)
	case !held:
		return nil, nil, errWatched
	}
	l = &ledger{path: filepath.Join(folder, ledgerName), entries: map[string]entry{}}
	if err := l.read(); err != nil {
		return nil, nil, errors.Join(err, lock.Unlock())
	}
	return l, func() { _ = lock.Unlock() }, nil // the lock ends with the process anyway
}

func (l *ledger) read() error {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var stored map[string]entry
	if err == nil {
		err = json.Unmarshal(data, &stored)
	}
	if err != nil {
		return fmt.Errorf("%s remembers what is done, and cannot be read: %w; remove the file: recordings with a text are left alone", l.path, err)
	}
	for text, e := range stored {
		e.Recording = nameOf(e.Recording)
		l.entries[nameOf(text)] = e
	}
	return nil
}

// of returns the entry for a text.
func (l *ledger) of(text string) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.entries[text]
	return e, known
}

// ledgerError is a ledger that cannot be written. Without it recordings could be transcribed
// twice.
type ledgerError struct{ error }

func (e *ledgerError) Unwrap() error { return e.error }

// put sets the entry for a text. When put returns, the entry is on disk.
func (l *ledger) put(text string, e entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[text] = e
	if err := l.write(); err != nil {
		return &ledgerError{err}
	}
	return nil
}

func (l *ledger) write() error {
	stored := make(map[string]entry, len(l.entries))
	for text, e := range l.entries {
		e.Recording = storedName(e.Recording)
		stored[storedName(text)] = e
	}
	data, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return err
	}
	part := l.path + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666) //nolint:gosec // as the umask has it: it belongs to whoever may write to the folder
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(part, l.path)
}

// escaped begins a name in the file that stands in percent-encoding. No file name has a slash.
const escaped = "bytes/"

// storedName returns a file name as the ledger's file holds it. JSON is text, and a file name can
// be any bytes.
func storedName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return escaped + url.PathEscape(name)
}

// nameOf returns the file name that storedName has stored.
func nameOf(stored string) string {
	if encoded, is := strings.CutPrefix(stored, escaped); is {
		if name, err := url.PathUnescape(encoded); err == nil {
			return name
		}
	}
	return stored
}

// about reports whether the entry is about the file as it is now.
func (e entry) about(file mediaFile) bool {
	return e.Recording == filepath.Base(file.path) && e.Size == file.size && e.Modified.Equal(file.modified)
}

// again returns the entry of a recording that must be sent again.
func (e entry) again() entry {
	return entry{Recording: e.Recording, Size: -1, Written: e.Written}
}
