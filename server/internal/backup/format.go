// Package backup copies a running service as it is at one moment, and restores the copy into an
// empty place. A backup is a folder or a tar file with these files, in this order:
//
//	blobs/KEY…       the blobs that rows of the database name
//	database         a SQLite file, or an archive of pg_dump
//	backup.json      what the backup is of
//	SHA256SUMS       the sums of all files before, which "sha256sum -c" checks too
//
// A backup contains what the database contains: hashes of keys, and secrets of webhooks in plain
// text. Only the user who makes the backup can read it.
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

// About describes the contents of a backup.
type About struct {
	Format    int       `json:"format"`
	Database  string    `json:"database"` // "sqlite3" or "postgres"
	Tables    int64     `json:"tables"`   // the version of our tables
	Queue     int64     `json:"queue"`    // the version of the tables of the queue
	TakenAt   time.Time `json:"takenAt"`  // just before the moment of the backup's data
	Blobs     int       `json:"blobs"`    // files below blobs/
	BlobBytes int64     `json:"blobBytes"`
	// Missing is the number of blobs that did not exist although rows name them, and Missed has
	// the keys of the first of them.
	Missing int      `json:"missing"`
	Missed  []string `json:"missed,omitempty"`
}

func (a About) tables() db.Tables { return db.Tables{Ours: a.Tables, Rivers: a.Queue} }

// maxListed is the largest number of blobs that are listed by name.
const maxListed = 20

// sum is the SHA-256 of a file.
type sum [sha256.Size]byte

// line returns the line of a file in SHA256SUMS.
func (s sum) line(name string) string { return fmt.Sprintf("%x  %s\n", s, name) }

// blobKey returns the key of the blob in a file. It accepts only keys that the service makes,
// because the file comes from outside.
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
