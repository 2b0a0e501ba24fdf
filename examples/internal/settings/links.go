package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine/dataapi"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Links is the file of --links: how the service reads links. The zero value is not a
// file.
type Links struct {
	File
	linksMembers

	ServerExits []server.Exit      // Exits, with their credentials
	PlayerList  []videosite.Player // Players; nil means the built-in list
	Access      ytdlp.Access       // TokenProvider, YtDlp and Cookies
	Runtime     string             // JSRuntime, with an absolute path
	SitesTable  *site.Table        // Sites; nil means the built-in table

	key string // of DataAPI.KeyFile
}

// linksMembers are the members of the file. The tag help is their documentation, and the tag next
// marks the members that take effect at the next start.
type linksMembers struct {
	Pace                     float64                        `json:"pace" default:"5" help:"The most visits a minute to each platform by each exit, five of them at once; further visits wait. Above 0."`
	RecognizeBlockedAfterSec int                            `json:"recognizeBlockedAfterSec" default:"jobs wait" help:"For how many seconds a site may block the captions of a link before the service recognizes the sound, if the site still gives the sound: 1 to 21600. A plan may say another time."`
	Exits                    []exitMember                   `json:"exits" default:"the machine's own address" help:"The addresses from which platforms see the service: proxies, and IPv6 prefixes of this machine, at most 1000."`
	Cookies                  map[transcript.Platform]string `json:"cookies" default:"no login anywhere" help:"Files with cookies of an account of yours, by platform: {\"video_site\": \"cookies.txt\"}. Used after LOGIN_REQUIRED or IP_BLOCKED. The platform may ban the account. The files must not be readable by everybody."`
	TokenProvider            string                         `json:"tokenProvider" default:"none" help:"The server of the plugin bgutil-ytdlp-pot-provider, as http://127.0.0.1:4416, which is asked for tokens after PO_TOKEN_REQUIRED or IP_BLOCKED. It needs ytDlp.plugins."`
	YtDlp                    ytDlpMembers                   `json:"ytDlp" help:"Further settings of yt-dlp."`
	Players                  json.RawMessage                `json:"players" default:"the built-in list" help:"The players of the video site to act as for captions: a list, as in server/engine/videosite/players.json."`
	DataAPI                  dataAPIMembers                 `json:"dataAPI" next:"" default:"yt-dlp finds videos" help:"The official data API of the video site, which then finds videos, channels and playlists."`
	JSRuntime                string                         `json:"jsRuntime" next:"" default:"the first installed one of deno 2.3, node 22 and quickjs" help:"NAME[:PATH] of the JavaScript runtime with which yt-dlp 2025.11.12 or later runs a site's player: deno 2.3, node 22, quickjs 2023-12-9 or bun 1.2.11, or later."`
	Sites                    json.RawMessage                `json:"sites" next:"" default:"the built-in table" help:"Members that replace those of the table of platforms, by platform."`
}

type exitMember struct {
	Name            string                `json:"name" help:"1 to 32 letters, digits, dots, dashes and underscores. Logs, metrics and doctor use the name, and never the address."`
	Address         string                `json:"address" help:"The URL of a proxy (http, https or socks5) without a user and a password, or an IPv6 prefix of this machine (/32 to /128). The proxy must permit CONNECT, to port 80 too."`
	CredentialsFile string                `json:"credentialsFile" default:"no password" help:"A file that contains only USER:PASSWORD for the proxy. It must not be readable by everybody."`
	ByName          bool                  `json:"byName" default:"false" help:"true: the proxy gets names instead of addresses. The service still looks each name up, and refuses a name with a private address."`
	Uses            []string              `json:"uses" default:"all" help:"The only visits that leave by the exit: captions, sound, lists."`
	Platforms       []transcript.Platform `json:"platforms" default:"all" help:"The only platforms that are visited by the exit, such as video_site."`
}

type ytDlpMembers struct {
	Plugins       string   `json:"plugins" default:"none" help:"A folder of plugins for yt-dlp, one folder a plugin, which yt-dlp loads after a platform has refused. Nothing in the folder may be writable for everybody."`
	ExtractorArgs []string `json:"extractorArgs" default:"none" help:"Values IE_KEY:ARGS of the option --extractor-args of yt-dlp, used after a platform has refused."`
}

type dataAPIMembers struct {
	KeyFile string `json:"keyFile" help:"A file with only the key for the API."`
	URL     string `json:"url" default:"https://youtube.googleapis.com" help:"The address of the API, for example of a proxy of your own."`
}

// UnmarshalText is called by the parser, with the file's name.
func (l *Links) UnmarshalText(path []byte) (err error) {
	*l, err = ReadLinks(string(path))
	return err
}

// ReadLinks reads the file. After an error, the result still knows which files were read.
func ReadLinks(path string) (Links, error) {
	var l Links
	l.Pace = defaultPace
	err := l.open(path, &l.linksMembers)
	for _, read := range []func() error{l.readNumbers, l.readSites, l.readExits, l.readPlayers, l.readAccess, l.readRuntime, l.readDataAPI} {
		if err == nil {
			err = read()
		}
	}
	return l, err
}

// defaultPace is in visits a minute.
const defaultPace = 5

// Given reports whether a file was named.
func (l Links) Given() bool { return l.path != "" }

// LeaveOutRuntime removes the JavaScript runtime.
func (l *Links) LeaveOutRuntime() { l.JSRuntime, l.Runtime = "", "" }

// PerMinute returns the visits a minute.
func (l Links) PerMinute() float64 {
	if !l.Given() {
		return defaultPace
	}
	return l.Pace
}

// RecognizeBlockedAfter returns the time of the file, or 0 if jobs wait for their
// captions.
func (l Links) RecognizeBlockedAfter() time.Duration {
	return time.Duration(l.RecognizeBlockedAfterSec) * time.Second
}

func (l *Links) readNumbers() error {
	const mostSec = 6 * 60 * 60
	after, given := l.RecognizeBlockedAfterSec, l.RecognizeBlockedAfterSec != 0
	switch {
	case !(l.Pace > 0):
		return l.Wrong("pace", errors.New("must be above 0"))
	case given && (after < 1 || after > mostSec):
		return l.Wrong("recognizeBlockedAfterSec", fmt.Errorf("must be 1 to %d, or left out: then jobs wait for their captions", mostSec))
	}
	return nil
}

func (l *Links) readSites() (err error) {
	if l.Sites == nil {
		return nil
	}
	if l.SitesTable, err = site.Default().Override(bytes.NewReader(l.Sites)); err != nil {
		return l.Wrong("sites", err)
	}
	return nil
}

// Table returns the platform table.
func (l Links) Table() *site.Table {
	if l.SitesTable == nil {
		return site.Default()
	}
	return l.SitesTable
}

func (l *Links) readExits() error {
	for i, e := range l.Exits {
		exit := server.Exit{Name: e.Name, Address: e.Address, ByName: e.ByName, Uses: e.Uses, Platforms: e.Platforms}
		member := fmt.Sprintf("exits[%d].", i)
		at, err := url.Parse(e.Address)
		if err == nil && at.User != nil {
			return l.Wrong(member+"address", errors.New("must not hold a user or a password: put USER:PASSWORD into a file of its own, and name it by credentialsFile"))
		}
		if e.CredentialsFile != "" {
			if err != nil || at.Host == "" {
				return l.Wrong(member+"credentialsFile", errors.New("goes with the URL of a proxy only"))
			}
			if at.User, err = l.credentials(e.CredentialsFile); err != nil {
				return l.Wrong(member+"credentialsFile", err)
			}
			exit.Address = at.String()
		}
		l.ServerExits = append(l.ServerExits, exit)
	}
	if l.ServerExits == nil {
		return nil
	}
	_, err := server.Egress{Exits: l.ServerExits}.TestExits(context.Background(), "")
	if wrong := (*server.ConfigError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", l.path, wrong.Err)
	}
	return err
}

// credentials reads USER:PASSWORD.
func (l *Links) credentials(name string) (*url.Userinfo, error) {
	path := l.in(name)
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o004 != 0 {
		return nil, fmt.Errorf("everybody on this machine can read %s: chmod 600 %[1]s", path)
	}
	text, err := l.content(path)
	if err != nil {
		return nil, err
	}
	user, password, ok := strings.Cut(strings.TrimRight(string(text), "\r\n"), ":")
	if !ok || user == "" || strings.ContainsAny(password, "\r\n") {
		return nil, fmt.Errorf("%s: want USER:PASSWORD in one line and nothing else", name)
	}
	return url.UserPassword(user, password), nil
}

func (l *Links) readPlayers() (err error) {
	if l.Players == nil {
		return nil
	}
	if l.PlayerList, err = videosite.ReadPlayers(bytes.NewReader(l.Players)); err != nil {
		return fmt.Errorf("%s: %s", l.path, strings.TrimPrefix(plain.Words(err), "videosite: ")) // it names players
	}
	return nil
}

func (l *Links) readAccess() error {
	l.Access = ytdlp.Access{Plugins: l.in(l.YtDlp.Plugins), ExtractorArgs: l.YtDlp.ExtractorArgs}
	if l.TokenProvider != "" {
		at, err := ParseService(l.TokenProvider)
		if err != nil || at.User != nil || strings.Trim(at.RequestURI(), "/") != "" || at.Fragment != "" {
			return l.Wrong("tokenProvider", errors.New("must be http://HOST:PORT and no more"))
		}
		l.Access.TokenProvider = &url.URL{Scheme: at.Scheme, Host: at.Host}
	}
	for platform, file := range l.Cookies {
		member := "cookies." + clipped(string(platform))
		at, known := l.Table().Site(platform)
		if !known {
			return l.Wrong(member, errors.New("is no platform with links: want one such as video_site"))
		}
		if file == "" {
			return l.Wrong(member, errors.New("must be the name of a file"))
		}
		hosts := slices.Clone(at.Hosts)
		if base, err := url.Parse(at.Base); err == nil && base.Host != "" {
			hosts = append([]string{base.Host}, hosts...)
		}
		if l.Access.Cookies == nil {
			l.Access.Cookies = make(map[transcript.Platform]ytdlp.Cookies)
		}
		l.Access.Cookies[platform] = ytdlp.Cookies{File: l.in(file), Hosts: hosts}
	}
	return l.AccessError(l.Access.Check())
}

// AccessError converts an error about [Access] into an error about the member of the
// file.
func (l Links) AccessError(err error) error {
	var wrong *ytdlp.AccessError
	if !errors.As(err, &wrong) {
		return err
	}
	member := map[string]string{"Plugins": "ytDlp.plugins", "TokenProvider": "tokenProvider", "ExtractorArgs": "ytDlp.extractorArgs", "Cookies": "cookies"}[wrong.Field]
	return l.Wrong(member, wrong.Err)
}

func (l *Links) readRuntime() error {
	if l.JSRuntime == "" {
		return nil
	}
	name, path, hasPath := strings.Cut(l.JSRuntime, ":")
	if !slices.Contains([]string{"deno", "node", "quickjs", "bun"}, name) || hasPath && path == "" {
		return l.Wrong("jsRuntime", errors.New("must be deno, node, quickjs or bun, and after a colon its path"))
	}
	if l.Runtime = name; hasPath {
		l.Runtime += ":" + l.in(path)
	}
	return nil
}

func (l *Links) readDataAPI() (err error) {
	if l.DataAPI.KeyFile == "" {
		if l.DataAPI.URL != "" {
			return l.Wrong("dataAPI.url", errors.New("goes with dataAPI.keyFile only"))
		}
		return nil
	}
	if l.key, err = l.keyIn("dataAPI.keyFile", l.DataAPI.KeyFile); err != nil {
		return err
	}
	if l.DataAPI.URL != "" {
		if _, err := ParseService(l.DataAPI.URL); err != nil {
			return l.Wrong("dataAPI.url", err)
		}
	}
	if _, err := l.Finder(); err != nil {
		return l.Wrong("dataAPI.url", err)
	}
	return nil
}

// Finder returns the data API, or nil if there is no key.
func (l Links) Finder() (*dataapi.Discovery, error) {
	if l.key == "" {
		return nil, nil //nolint:nilnil // discovery then uses the program that reads links
	}
	at, _ := l.Table().Site(transcript.VideoSite) // every table has it
	return dataapi.New(dataapi.Options{Key: l.key, BaseURL: l.DataAPIBase(), Site: at.Base})
}

// DataAPIBase returns the address of the data API.
func (l Links) DataAPIBase() string {
	if l.DataAPI.URL == "" {
		return dataapi.DefaultBaseURL
	}
	return l.DataAPI.URL
}

// Addresses returns the addresses of the token provider and of the data API, which no link may reach.
func (l Links) Addresses() (all []string) {
	if l.Access.TokenProvider != nil {
		all = append(all, Address(l.Access.TokenProvider))
	}
	if l.key != "" {
		if at, err := url.Parse(l.DataAPIBase()); err == nil { // it has been checked
			all = append(all, Address(at))
		}
	}
	return all
}

// LinksAtNextStart returns the members that differ and take effect at the next start.
func LinksAtNextStart(before, now Links) []string {
	all := later("", reflect.ValueOf(before.linksMembers), reflect.ValueOf(now.linksMembers))
	if all == nil && before.key != now.key { // the name of its file is the same
		all = []string{"dataAPI"}
	}
	return all
}

// AtStart returns the settings of now, but keeps the old values of the members that take effect
// at the next start.
func (l Links) AtStart(now Links) Links {
	now.SitesTable, now.DataAPI, now.key = l.SitesTable, l.DataAPI, l.key
	return now
}
