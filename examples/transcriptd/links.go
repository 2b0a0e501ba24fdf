package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// linkFlags say where links may lead and who follows them.
type linkFlags struct {
	Sites       string     `placeholder:"FILE" help:"Platform table: JSON, which replaces the members of the default table that it names."`
	AllowEgress addresses  `placeholder:"HOST:PORT" help:"An address that links may lead to, although it is private or its port is neither 80 nor 443. May be repeated."`
	YtDlp       executable `name:"yt-dlp" default:"yt-dlp" placeholder:"PATH" help:"The program that reads links (${default})."`
}

// sites is the platform table, nil for the default one.
func (f linkFlags) sites() (*site.Table, error) {
	if f.Sites == "" {
		return nil, nil
	}
	file, err := os.Open(f.Sites)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	table, err := site.Default().Override(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Sites, err)
	}
	return table, nil
}

// executable is the name of a program, or its path, which is made absolute.
type executable string

// UnmarshalText is called by the parser.
func (p *executable) UnmarshalText(text []byte) (err error) {
	path := string(text)
	if strings.ContainsRune(path, filepath.Separator) {
		path, err = filepath.Abs(path)
	}
	*p = executable(path)
	return err
}

// addresses are each a host and a port.
type addresses []string

// Validate is called by the parser.
func (a addresses) Validate() error {
	for _, address := range a {
		host, port, err := net.SplitHostPort(address)
		if n, bad := strconv.ParseUint(port, 10, 16); err != nil || host == "" || bad != nil || n == 0 {
			return fmt.Errorf("%q is not HOST:PORT", address)
		}
	}
	return nil
}

// databaseAddresses are where the database is, which no link may reach. A file
// has no address, and neither has a socket in the file system.
func databaseAddresses(database string) ([]string, error) {
	if strings.HasPrefix(database, "sqlite:") {
		return nil, nil
	}
	config, err := pgconn.ParseConfig(database)
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
