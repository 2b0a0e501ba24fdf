package localservice

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// services is the folder of the files of services that serve several programs.
const services = "services"

// Served returns the path of the file of the service on a database. Each database has its own
// file, because a key is valid for only one database.
func Served(database string) (string, error) {
	folder, err := Folder()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(folder, services)
	sum := sha256.Sum256([]byte(database))
	return filepath.Join(folder, hex.EncodeToString(sum[:8])+".json"), os.MkdirAll(folder, 0o700)
}

// Find returns the running service that started last, or ErrNone.
func Find() (Service, error) {
	folder, err := Folder()
	if err != nil {
		return Service{}, ErrNone // no service could write its file either
	}
	files, _ := filepath.Glob(filepath.Join(folder, services, "*.json")) // only a bad pattern is an error
	slices.SortFunc(files, func(a, b string) int { return written(b).Compare(written(a)) })
	for _, path := range files {
		if s, err := Read(path); err == nil {
			return s, nil
		}
	}
	return Service{}, ErrNone
}

func written(path string) time.Time {
	st, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
