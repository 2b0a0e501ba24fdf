// Package backup copies a service that is at work, as it stands at one moment, and fills an empty
// place with the copy. A backup is a folder or a tar file with these files, in this order:
//
//	blobs/KEY…       the blobs that rows of the database name
//	database         a SQLite file, or an archive of pg_dump
//	backup.json      what the backup is of
//	SHA256SUMS       the sums of all files before, which "sha256sum -c" checks too
//
// A backup holds what the database holds: hashes of keys, and secrets of webhooks as they are. Only
// the user who makes it can read it.
package backup

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// The names of files in a backup.
const (
	blobFolder   = "blobs/"
	databaseName = "database"
	aboutName    = "backup.json"
	sumsName     = "SHA256SUMS"
)

// format is the version of this layout. A program refuses other versions.
const format = 1

// About is what a backup is of.
type About struct {
	Format    int       `json:"format"`
	Database  string    `json:"database"` // "sqlite3" or "postgres"
	Tables    int64     `json:"tables"`   // the version of our tables
	Queue     int64     `json:"queue"`    // the version of the tables of the queue
	TakenAt   time.Time `json:"takenAt"`  // just before the moment that the backup shows
	Blobs     int       `json:"blobs"`    // files below blobs/
	BlobBytes int64     `json:"blobBytes"`
	// Missing is how many blobs were not there although rows name them, and Missed are the keys of
	// the first of them.
	Missing int      `json:"missing"`
	Missed  []string `json:"missed,omitempty"`
}

func (a About) tables() db.Tables { return db.Tables{Ours: a.Tables, Rivers: a.Queue} }

// maxListed bounds how many blobs are listed by name.
const maxListed = 20

// sum is the SHA-256 of a file.
type sum [sha256.Size]byte

// line is the line of a file in SHA256SUMS.
func (s sum) line(name string) string { return fmt.Sprintf("%x  %s\n", s, name) }

// blobKey returns the key of the blob in a file. Only keys of the service are keys: the file comes
// from outside.
func blobKey(name string) (key string, is bool) {
	key, is = strings.CutPrefix(name, blobFolder)
	if !is || strings.Contains(key, "..") || strings.ContainsAny(key, "\\\x00\n") || path.Clean(key) != key {
		return "", false
	}
	for _, prefix := range []string{db.UploadPrefix, db.AudioPrefix, db.PlayingPrefix} {
		if rest, ours := strings.CutPrefix(key, prefix); ours && rest != "" {
			return key, true
		}
	}
	return "", false
}
