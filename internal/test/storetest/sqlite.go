package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// WriteSQLite writes an empty SQLite database to path, which must not exist. It has the tables
// of this version, so opening it is much faster than creating a new one.
func WriteSQLite(path string) error {
	empty, err := emptySQLite()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	_, err = file.Write(empty)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	return nil
}

// emptySQLite is that database, made once for all tests of a binary.
var emptySQLite = sync.OnceValues(func() (empty []byte, err error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "empty.db")
	s, err := store.Open(context.Background(), store.Options{Database: "sqlite:" + path, Blobs: filepath.Join(dir, "blobs")})
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	if err := s.Close(); err != nil { // closing moves the write-ahead log into the file
		return nil, fmt.Errorf("storetest: %w", err)
	}
	if empty, err = os.ReadFile(path); err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	return empty, nil
})
