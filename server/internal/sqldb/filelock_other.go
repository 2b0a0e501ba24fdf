//go:build !unix

package sqldb

import "errors"

// lockFile is not available: nothing would keep a second process away.
func lockFile(string) (release func() error, err error) {
	return nil, errors.New("store: SQLite can be served on unix systems only")
}
