package store

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/backup"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Backup describes a backup.
type Backup struct {
	Format    int       // the version of the layout of the backup
	Database  string    // "sqlite3" or "postgres"
	Tables    int64     // the version of our tables
	Queue     int64     // the version of the tables of the queue
	TakenAt   time.Time // just before the moment of the backup's data
	Blobs     int
	BlobBytes int64
	// Missing is the number of blobs that rows name but that did not exist. Missed has the
	// keys of the first 20 of them.
	Missing int
	Missed  []string
}

// Backup copies the database and its blobs, as they are at one moment, to target, which
// must not exist. If the name of target ends in .tar, target is a file; otherwise it is a
// folder. After an error, Backup leaves no files in target. Processes may serve the store
// meanwhile: none of them deletes a blob until Backup returns. On PostgreSQL, Backup
// needs the program pg_dump, which must be at least as new as the database server.
//
// A backup contains hashes of keys and the secrets of webhooks. Only the user of this
// process can read it.
func (s *Store) Backup(ctx context.Context, target string) (Backup, error) {
	about, err := backup.Take(ctx, db.Of(s), target)
	return Backup(about), err
}

// ExamineBackup reads a backup and compares each of its files with its sum. The error says what is
// damaged, or that a newer version has made the backup.
func ExamineBackup(ctx context.Context, path string) (Backup, error) {
	b, err := backup.Open(ctx, path)
	if err != nil {
		return Backup{}, err
	}
	return Backup(b.About), nil
}

// Restore restores a backup into an empty database and an empty blob store. An empty
// SQLite database is a file that does not exist. Restore reads and checks the whole
// backup before it writes, and migrates the tables of an older version. After an error,
// the database and the blobs are as empty as before.
func Restore(ctx context.Context, o Options, path string) (Backup, error) {
	about, err := backup.Restore(ctx, db.Options(o), path)
	return Backup(about), err
}

// Verify checks the integrity of a SQLite file, and compares the rows of the store with its blobs
// and its texts with the index of their words. It reads all blobs that rows name. Processes may serve the store meanwhile.
func (s *Store) Verify(ctx context.Context) ([]engine.Finding, error) {
	return backup.Verify(ctx, db.Of(s))
}
