package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// DatabaseFlag is the flag of every command with a database.
type DatabaseFlag struct {
	DB Database `name:"db" default:"${database}" placeholder:"DATABASE" help:"sqlite:PATH or a postgres:// URL (${default})."`
}

// Database names a database. The parser checks the form of the name, but not whether the
// database can be reached.
type Database string

// UnmarshalText is called by the parser.
func (d *Database) UnmarshalText(text []byte) error {
	*d = Database(text)
	if path, ok := strings.CutPrefix(string(text), "sqlite:"); ok && path != "" {
		return nil
	}
	if !strings.HasPrefix(string(text), "postgres://") && !strings.HasPrefix(string(text), "postgresql://") {
		return errors.New("want sqlite:PATH or postgres://…") // the value may hold a password
	}
	if _, err := d.addresses(); err != nil { // the error holds the user, and texts of the driver
		return errors.New("want postgres://USER:PASSWORD@HOST:PORT/DATABASE, with options that PostgreSQL knows")
	}
	return nil
}

// IsFile reports whether the database is an SQLite file, which only one process serves.
func (d Database) IsFile() bool { return strings.HasPrefix(string(d), "sqlite:") }

// OpenStore opens a database. If it does not exist, the error says what to do.
func OpenStore(ctx context.Context, o store.Options) (*store.Store, error) {
	s, err := store.Open(ctx, o)
	switch {
	case errors.Is(err, store.ErrNewer):
		return nil, tooOld(err)
	case !errors.Is(err, store.ErrNoDatabase), o.MustExist:
		return s, err
	case Database(o.Database).IsFile():
		return nil, fmt.Errorf("%w: make it, or name another path with --db", err)
	}
	return nil, fmt.Errorf("%w: make it with createdb, or name another one with --db", err)
}

// tooOld adds the version of this program to a store.ErrNewer.
func tooOld(err error) error {
	return fmt.Errorf("%w (this program is version %s)", err, Version())
}

// Migrations returns the migrations that OpenStore would run on a database, and changes nothing.
func Migrations(ctx context.Context, database string) (store.Pending, error) {
	found, err := store.Migrations(ctx, store.Options{Database: database})
	if errors.Is(err, store.ErrNewer) {
		err = tooOld(err)
	}
	return found, err
}

// addresses returns the addresses of the database, which no link may reach. A file and a socket
// in the file system have no address.
func (d Database) addresses() ([]string, error) {
	if d.IsFile() {
		return nil, nil
	}
	config, err := pgconn.ParseConfig(string(d))
	if err != nil {
		return nil, err
	}
	var all []string
	add := func(host string, port uint16) {
		address := net.JoinHostPort(host, strconv.Itoa(int(port)))
		if !strings.HasPrefix(host, "/") && !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	add(config.Host, config.Port)
	for _, other := range config.Fallbacks {
		add(other.Host, other.Port)
	}
	return all, nil
}
