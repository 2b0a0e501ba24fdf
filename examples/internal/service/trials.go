package service

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
)

// trial lets a program pass at once if its check takes long. The program passes if it has passed
// the check of an earlier process and its file has not changed since. This ends when the check
// that this process makes at its start has a result. The zero value lets nothing pass. It is
// safe for concurrent use.
type trial struct {
	program string
	look    func(program string) (path string, err error)
	folder  string // of the notes about passed checks; empty means that nothing is noted

	mu      sync.Mutex
	settled bool // this process has its own result
}

// passes reports whether the program passes without a check.
func (t *trial) passes() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.settled || t.folder == "" {
		return false
	}
	now, err := t.pass()
	if err != nil {
		return false
	}
	text, err := os.ReadFile(t.file())
	var noted pass
	return err == nil && json.Unmarshal(text, &noted) == nil && noted == now
}

// settle ends the trial with the result of a check, and stores the result for the next start.
// A note that cannot be written only makes the next start wait for its check.
func (t *trial) settle(answer error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settled = true
	if t.folder == "" {
		return
	}
	now, err := t.pass()
	if answer != nil || err != nil {
		_ = os.Remove(t.file()) // a remaining note is used until the next start has its result
		return
	}
	text, err := json.Marshal(now)
	if err == nil && os.MkdirAll(t.folder, 0o700) == nil {
		_ = os.WriteFile(t.file(), text, 0o600) // a damaged note does not count
	}
}

// pass is the note about a passed check: the file of the program, as it was then.
type pass struct {
	Path     string    `json:"path"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

// pass describes the program's file as it is now.
func (t *trial) pass() (p pass, err error) {
	path, err := t.look(t.program)
	if err != nil {
		return p, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	return pass{path, file.Size(), file.ModTime().UTC()}, nil
}

func (t *trial) file() string { return filepath.Join(t.folder, filepath.Base(t.program)+".json") }

// triedLinks is a downloader whose check may pass at once.
type triedLinks struct {
	*ytdlp.Downloader
	trial *trial
}

// Check returns why links cannot be read.
func (l triedLinks) Check(ctx context.Context) error {
	if l.trial.passes() {
		return nil
	}
	return l.Downloader.Check(ctx)
}

// triedModest is a recognizer whose check may pass at once.
type triedModest struct {
	modest
	trial *trial
}

// Check returns why the recognizer does not work.
func (m triedModest) Check(ctx context.Context) error {
	if m.trial.passes() {
		return nil
	}
	return m.modest.Check(ctx)
}

// try lets the slow checks of an engine pass at once if their programs have passed before.
func try(e engine.Engine, links *ytdlp.Downloader, ofLinks, ofRecognizer *trial) engine.Engine {
	tried := triedLinks{links, ofLinks}
	for i, source := range e.Captions {
		if source == engine.CaptionSource(links) {
			e.Captions[i] = tried
		}
	}
	if e.Discovery == engine.Discovery(links) {
		e.Discovery = tried
	}
	e.Lists, e.Audio = tried, tried
	if m, ok := e.Recognizer.(modest); ok {
		e.Recognizer = triedModest{m, ofRecognizer}
	}
	return e
}
