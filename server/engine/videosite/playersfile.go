package videosite

import (
	"fmt"
	"log/slog"
	"os"
	"sync"
)

// playersFile is a list of players in a file that is read again when the file changes. If the
// new file cannot be read, the list stays, and one line in the log says why. Safe for concurrent
// use.
type playersFile struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex
	list []Player
	last os.FileInfo // the file at its last reading, good or bad; nil: the file was missing
}

// openPlayers reads the file for the first time.
func openPlayers(path string, log *slog.Logger) (*playersFile, error) {
	f := &playersFile{path: path, log: log}
	list, info, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("videosite: PlayersFile: %w", err)
	}
	f.list, f.last = list, info
	return f, nil
}

// players returns the present list. The caller does not change the list.
func (f *playersFile) players() []Player {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now, err := os.Stat(f.path); err == nil && f.last != nil && sameFile(now, f.last) || err != nil && f.last == nil {
		return f.list
	}
	list, info, err := f.read()
	f.last = info
	if err != nil {
		f.log.Warn("the file of players cannot be used: the last good list stays", "file", f.path, "err", err)
		return f.list
	}
	f.log.Info("the file of players has changed", "file", f.path, "players", len(list))
	f.list = list
	return list
}

// read reads the file. info describes the file that was read; nil: there is none.
func (f *playersFile) read() (list []Player, info os.FileInfo, err error) {
	info, err = os.Stat(f.path) // before the reading, so that a change during the reading shows later
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, fmt.Errorf("%s is not a regular file", f.path)
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, info, err
	}
	defer func() { _ = file.Close() }() // it was only read
	list, err = ReadPlayers(file)
	return list, info, err
}

func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
