//go:build !unix

package sqldb

import "errors"

// lockFile is not available on this system, so a second process is not excluded.
func lockFile(string) (release func() error, err error) {
	return nil, errors.New("store: SQLite can be served on unix systems only: name a PostgreSQL database")
}
