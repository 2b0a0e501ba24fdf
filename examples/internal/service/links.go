package service

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// LinkFlags configure where links may lead and which programs follow them.
type LinkFlags struct {
	Sites         siteTable   `placeholder:"FILE" help:"Platform table: a JSON file whose members replace those of the default table."`
	AllowEgress   []hostPort  `placeholder:"HOST:PORT" help:"An address that links and webhooks may lead to although it is private, or although its port is neither 80 nor 443. May be repeated."`
	YtDlp         Executable  `name:"yt-dlp" default:"${ytdlp}" placeholder:"PATH" help:"The program that reads links (${default})."`
	JSRuntime     jsRuntime   `name:"js-runtime" placeholder:"NAME[:PATH]" help:"The JavaScript runtime with which yt-dlp 2025.11.12 or later runs a site's player: deno, node, quickjs or bun. Default: the first installed one of deno 2.3, node 22 and quickjs, or later versions."`
	DirectMedia   bool        `help:"Also take links to media files, pages of podcasts and items of feeds, on any public host: for accounts that you trust, see docs/operate."`
	TrustWebhooks bool        `help:"Send the events of an account to an address before the address has answered a test event: for accounts that you trust."`
	Proxy         []proxyURL  `placeholder:"URL" help:"A proxy (http, https or socks5) through which the service follows links. May be repeated: each visit to a platform leaves by one of the proxies."`
	ProxyByName   bool        `help:"Send each --proxy names instead of addresses, for proxies that judge by name. The service still looks each name up first, and refuses names of private addresses."`
	Exits         exitsPath   `placeholder:"FILE" help:"The exits by which the service follows links, together with each --proxy: a JSON file with proxies and IPv6 prefixes, as in docs/operate, which is read again when it changes. Each visit to a platform leaves by one exit."`
	Pace          float64     `default:"5" placeholder:"N" help:"The most visits a minute to each platform by each exit, five of them at once; further visits wait (${default})."`
	Players       playersPath `placeholder:"FILE" help:"The players of the video site to act as for captions: a JSON list, as in server/engine/videosite/players.json, which is read again when it changes. Default: that list."`
	Player        gonePlayer  `hidden:"" help:"Replaced by --players."`
	accessFlags

	WhenCaptionsBlocked whenBlocked `default:"wait" placeholder:"WHAT" help:"What a job does while the site blocks its captions: wait (the default, for up to 6 hours), or recognize-after=30m: after 30 minutes the service recognizes the sound, if the site still gives the sound. A plan may say another time."`
}

func (f LinkFlags) check() error {
	if !(f.Pace > 0) { // also refuses NaN
		return errors.New("--pace must be above 0")
	}
	return f.accessFlags.check(cmp.Or(f.Sites.Table, site.Default()))
}

// Proxies returns the proxies of --proxy; none: links are reached directly.
func (f LinkFlags) Proxies() (all []*url.URL) {
	for _, proxy := range f.Proxy {
		all = append(all, proxy.at)
	}
	return all
}

// egress returns the private addresses that links may lead to.
func (f LinkFlags) egress() (all []string) {
	for _, address := range f.AllowEgress {
		all = append(all, string(address))
	}
	return all
}

func (f LinkFlags) program() string { return string(f.YtDlp) }

// siteTable is a platform table that a file changes.
type siteTable struct{ *site.Table } // nil: the default one

// UnmarshalText is called by the parser, with the file's name.
func (t *siteTable) UnmarshalText(path []byte) error {
	file, err := os.Open(string(path))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if t.Table, err = site.Default().Override(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// playersPath is the absolute path of a file with a list of players.
type playersPath string

// UnmarshalText is called by the parser. The file is read again when the service starts.
func (p *playersPath) UnmarshalText(text []byte) error {
	file, err := os.Open(string(text))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if _, err := videosite.ReadPlayers(file); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	path, err := filepath.Abs(string(text))
	*p = playersPath(path)
	return err
}

// exitsPath is the absolute path of a file with exits.
type exitsPath string

// UnmarshalText is called by the parser. The file is read when the service starts.
func (p *exitsPath) UnmarshalText(text []byte) error {
	path, err := filepath.Abs(string(text))
	*p = exitsPath(path)
	return err
}

// gonePlayer is the flag that named one player.
type gonePlayer string

// UnmarshalText is called by the parser. An empty variable of the environment sets no flag.
func (p *gonePlayer) UnmarshalText([]byte) error {
	return errors.New("this flag is gone, because a player needs more than a name and a version: list the players in a file, and name the file by --players")
}

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

// jsRuntime is the name of a JavaScript runtime and, after a colon, its path. The path is made
// absolute.
type jsRuntime string

// UnmarshalText is called by the parser.
func (r *jsRuntime) UnmarshalText(text []byte) error {
	name, path, hasPath := strings.Cut(string(text), ":")
	if !slices.Contains([]string{"deno", "node", "quickjs", "bun"}, name) || hasPath && path == "" {
		return errors.New("want deno, node, quickjs or bun, and after a colon its path")
	}
	*r = jsRuntime(name)
	if hasPath {
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		*r += jsRuntime(":" + path)
	}
	return nil
}

// serviceURL is the address of another service; at is nil if none was given.
type serviceURL struct{ at *url.URL }

// standardPorts returns the default ports of the schemes.
func standardPorts() map[string]string {
	return map[string]string{"http": "80", "https": "443", "socks5": "1080"}
}

// UnmarshalText is called by the parser.
func (u *serviceURL) UnmarshalText(text []byte) error {
	if err := u.read(text); err != nil || u.at.Scheme == "socks5" {
		return errors.New("want http://HOST… or https://HOST…") // the text may hold a password
	}
	return nil
}

func (u *serviceURL) read(text []byte) (err error) {
	if u.at, err = url.Parse(string(text)); err != nil {
		return err
	}
	if standardPorts()[u.at.Scheme] == "" {
		return errors.New("no scheme of a service")
	}
	return new(hostPort).UnmarshalText([]byte(u.address()))
}

// address returns the host and the port.
func (u serviceURL) address() string {
	return net.JoinHostPort(u.at.Hostname(), cmp.Or(u.at.Port(), standardPorts()[u.at.Scheme]))
}

// proxyURL is the address of a proxy.
type proxyURL struct{ serviceURL }

// UnmarshalText is called by the parser.
func (u *proxyURL) UnmarshalText(text []byte) error {
	if err := u.read(text); err != nil || strings.Trim(u.at.RequestURI(), "/") != "" || u.at.Fragment != "" {
		return errors.New("want http://, https:// or socks5://, then [USER:PASSWORD@]HOST[:PORT] and no more") // without the text, which may hold a password
	}
	return nil
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

// whenBlocked is what a job does while a platform blocks its captions: it waits (0), or the sound
// is recognized after this time.
type whenBlocked time.Duration

// UnmarshalText is called by the parser.
func (w *whenBlocked) UnmarshalText(text []byte) error {
	if string(text) == "wait" {
		*w = 0
		return nil
	}
	after, ok := strings.CutPrefix(string(text), "recognize-after=")
	d, err := time.ParseDuration(after)
	if !ok || err != nil || d < time.Second || d > 6*time.Hour {
		return errors.New("want wait, or recognize-after= and a time from 1s to 6h, such as recognize-after=30m")
	}
	*w = whenBlocked(d)
	return nil
}
