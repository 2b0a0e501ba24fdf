package localservice

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Service is a service that runs on this machine.
type Service struct {
	URL string `json:"url"` // empty means that the service does not accept requests yet
	Key string `json:"key"` // for the header Authorization
}

// lookAgain is how often Hold checks whether the file is free.
const lookAgain = 20 * time.Millisecond

// ErrHeld means that another process holds the file of a service.
var ErrHeld = errors.New("another process holds the file")

// ErrNone means that no service runs, or that it does not accept requests yet.
var ErrNone = errors.New("no local service runs")

// File is the file of a service, held by the process that runs the service.
type File struct {
	path string
	lock *flock.Flock
	key  string
}

// Hold takes the file for this process, until Release or the end of the process. The error is
// ErrHeld if another process holds the file for longer than the patience; 0 means Hold tries
// once. A reader holds the file for a moment. Hold removes the address of an earlier service,
// because the port may belong to another program now; the key stays.
func Hold(path string, patience time.Duration) (*File, error) {
	f := &File{path: path, lock: flock.New(path+".lock", flock.SetPermissions(0o600))}
	held, err := f.lock.TryLock()
	for end := time.Now().Add(patience); err == nil && !held && time.Now().Before(end); {
		<-time.After(lookAgain)
		held, err = f.lock.TryLock()
	}
	switch {
	case err != nil:
		return nil, err
	case !held:
		return nil, ErrHeld
	}
	before, err := read(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		before = Service{} // a torn file is replaced
	}
	f.key = before.Key
	if err := f.Write(Service{Key: f.key}); err != nil {
		return nil, errors.Join(err, f.lock.Unlock())
	}
	return f, nil
}

// Key returns the key in the file, or empty if there is none.
func (f *File) Key() string { return f.key }

// Write replaces the content of the file.
func (f *File) Write(s Service) error {
	f.key = s.Key
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	part := f.path + ".part"
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, f.path)
}

// Release removes the address and lets other processes take the file.
func (f *File) Release() error {
	return errors.Join(f.Write(Service{Key: f.key}), f.lock.Unlock())
}

// Read returns the service of a file, or ErrNone if no process holds the file.
func Read(path string) (Service, error) {
	s, err := read(path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && s.URL == "":
		return Service{}, ErrNone
	case err != nil:
		return Service{}, err
	}
	lock := flock.New(path + ".lock")
	free, err := lock.TryRLock()
	if free {
		return Service{}, errors.Join(ErrNone, lock.Unlock())
	}
	if err != nil {
		return Service{}, errors.Join(err, lock.Close())
	}
	// The process that now holds the file may have taken it after the first check. Then the
	// address belongs to a killed process, and the key must not be sent there.
	if now, err := read(path); err != nil || now != s {
		return Service{}, errors.Join(ErrNone, err, lock.Close())
	}
	return s, lock.Close()
}

func read(path string) (s Service, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
