package service

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
)

// LinkFlags configure where links may lead, and which program follows them.
type LinkFlags struct {
	Links         settings.Links `placeholder:"FILE" help:"How links are read: pace, exits, cookies, players and more: a JSON file, as in docs/operate/links.md, which is read again when it changes."`
	YtDlp         Executable     `name:"yt-dlp" default:"${ytdlp}" placeholder:"PATH" help:"The program that reads links (${default}). Default: in a checkout that of make setup, else that of transcriptd yt-dlp pull, else the system's."`
	AllowEgress   []hostPort     `placeholder:"HOST:PORT" help:"An address that links and webhooks may lead to although it is private, or although its port is neither 80 nor 443. May be repeated."`
	DirectMedia   bool           `help:"Also take links to media files, pages of podcasts and items of feeds, on any public host: for accounts that you trust, see docs/operate/links.md."`
	TrustWebhooks bool           `help:"Send the events of an account to an address before the address has answered a test event: for accounts that you trust."`
}

// egress returns the private addresses that links may lead to.
func (f LinkFlags) egress() (all []string) {
	for _, address := range f.AllowEgress {
		all = append(all, string(address))
	}
	return all
}

func (f LinkFlags) program() string { return string(f.YtDlp) }

// Executable is the name of a program, or its path. A path is made absolute.
type Executable string

// UnmarshalText is called by the parser.
func (p *Executable) UnmarshalText(text []byte) (err error) {
	path := string(text)
	if strings.ContainsRune(path, filepath.Separator) {
		path, err = filepath.Abs(path)
	}
	*p = Executable(path)
	return err
}

// serviceURL is the address of another service; at is nil if none was given.
type serviceURL struct{ at *url.URL }

// UnmarshalText is called by the parser.
func (u *serviceURL) UnmarshalText(text []byte) (err error) {
	u.at, err = settings.ParseService(string(text))
	return err
}

// hostPort is an address to connect to.
type hostPort string

// UnmarshalText is called by the parser.
func (a *hostPort) UnmarshalText(text []byte) error {
	*a = hostPort(text)
	host, port, err := net.SplitHostPort(string(text))
	n, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || bad != nil || n == 0 || host == "" || strings.ContainsAny(host, "/@ ") {
		return fmt.Errorf("%q is not HOST:PORT", text)
	}
	return nil
}
