package service_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// parsed reads the flags of a service.
func parsed(t *testing.T, args ...string) (service.Flags, error) {
	t.Helper()
	var flags service.Flags
	parser, err := kong.New(&flags, service.Vars("transcriptd", "127.0.0.1:0", "0"))
	require.NoError(t, err)
	if _, err := parser.Parse(args); err != nil {
		return flags, err
	}
	return flags, flags.Check()
}

// put writes a file by a rename, as an editor does: a change is seen although the clock stands.
func put(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
	return path
}

// cookies are a login at the video site.
const cookies = ".youtube.com\tTRUE\t/\tTRUE\t0\tSID\ts3cret\n"

func TestLinksFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "plugins", "one", "yt_dlp_plugins"), 0o755))
	put(t, filepath.Join(dir, "cookies.txt"), cookies)
	put(t, filepath.Join(dir, "api.key"), "k3y\n")
	put(t, filepath.Join(dir, "berlin.txt"), "me:s3:cret\n")
	path := put(t, filepath.Join(dir, "links.json"), `{
		"pace": 7.5, "recognizeBlockedAfterSec": 1800,
		"exits": [
			{"name": "berlin", "address": "http://proxy.test:3128", "credentialsFile": "berlin.txt", "uses": ["sound"]},
			{"name": "own", "address": "2001:db8:1:2::/64", "platforms": ["video_site"]}
		],
		"cookies": {"video_site": "cookies.txt"}, "tokenProvider": "http://127.0.0.1:4416", "jsRuntime": "node:bin/node",
		"ytDlp": {"plugins": "plugins", "extractorArgs": ["youtube:player_client=tv,web;lang=de"]},
		"players": [{"name": "PAGE", "captions": true}],
		"dataAPI": {"keyFile": "api.key", "url": "http://127.0.0.1:8078"},
		"sites": {"video_site": {"elsewhere": {"own-talk-01": {"canonical": "https://own.test/watch?v=own-talk-01", "at": "https://own.test/watch?v=own-talk-01&t={t}"}}}}
	}`)
	flags, err := parsed(t, "--links="+path, "--asr=none")
	require.NoError(t, err)
	config, err := service.Setup{Flags: flags}.Config()
	require.NoError(t, err)
	assert.InDelta(t, 7.5, config.Pace.Rate.PerMinute, 0)
	assert.Equal(t, "30m0s", config.RecognizeBlockedAfter.String())
	require.Len(t, config.Egress.Exits, 2)
	assert.Equal(t, "http://me:s3%3Acret@proxy.test:3128", config.Egress.Exits[0].Address)
	assert.Equal(t, []string{"127.0.0.1:4416", "127.0.0.1:8078"}, config.Egress.Deny, "no link reaches them")
	at, _ := config.Sites.Site(transcript.VideoSite)
	assert.Contains(t, at.Elsewhere, "own-talk-01")

	flags, err = parsed(t, "--asr=none")
	require.NoError(t, err)
	config, err = service.Setup{Flags: flags}.Config()
	require.NoError(t, err)
	assert.InDelta(t, 5, config.Pace.Rate.PerMinute, 0)
}

func TestSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "cookies.txt"), cookies)
	for _, open := range []string{"open.txt", "password.txt"} {
		put(t, filepath.Join(dir, open), cookies)
		require.NoError(t, os.Chmod(filepath.Join(dir, open), 0o644))
	}
	put(t, filepath.Join(dir, "words.txt"), "two s3cret words")
	put(t, filepath.Join(dir, "api.key"), "k3y")
	put(t, filepath.Join(dir, "long.key"), strings.Repeat("k", 1<<20+1))
	for flag, rows := range map[string]map[string]string{
		"--links": {
			`{`:                                 "links.json: no JSON at line 1",
			`{"pace": 5} {}`:                    "no JSON at line 1",
			`[]`:                                "links.json: must be a JSON object",
			`{"pce": 5}`:                        "pce: is unknown: want one of cookies, dataAPI, exits, jsRuntime, pace",
			`{"pace": "s3cret"}`:                "links.json: pace: must be a number",
			`{"pace": null}`:                    "pace: must be a number",
			`{"pace": 0}`:                       "pace: must be above 0",
			`{"recognizeBlockedAfterSec": 1.5}`: "recognizeBlockedAfterSec: must be a whole number",
			`{"recognizeBlockedAfterSec": -1}`:  "recognizeBlockedAfterSec: must be 1 to 21600",
			`{"recognizeBlockedAfterSec": 1e5}`: "recognizeBlockedAfterSec: must be",
			`{"exits": {}}`:                     "exits: must be a list of objects",
			`{"exits": ["s3cret"]}`:             "exits[0]: must be a JSON object",
			`{"exits": [{"nam": "a"}]}`:         "exits[0].nam: is unknown: want one of address, byName, credentialsFile, name, platforms, uses",
			`{"exits": [{"name": "a b"}]}`:      "exits[0].name: want 1 to 32",
			`{"exits": [{"name": "a", "uses": "sound"}]}`:                                               "exits[0].uses: must be a list of texts",
			`{"exits": [{"name": "a", "address": "http://me:s3cret@a.test"}]}`:                          "exits[0].address: must not hold a user or a password: put USER:PASSWORD into a file of its own, and name it by credentialsFile",
			`{"exits": [{"name": "a", "address": "2001:db8::/64", "credentialsFile": "words.txt"}]}`:    "exits[0].credentialsFile: goes with the URL of a proxy only",
			`{"exits": [{"name": "a", "address": "http://a.test", "credentialsFile": "words.txt"}]}`:    "exits[0].credentialsFile: words.txt: want USER:PASSWORD in one line",
			`{"exits": [{"name": "a", "address": "http://a.test", "credentialsFile": "password.txt"}]}`: "exits[0].credentialsFile: everybody on this machine can read",
			`{"exits": [{"name": "a", "address": "http://a.test", "credentialsFile": "none.txt"}]}`:     "exits[0].credentialsFile: " + dir + "/none.txt: there is no such file",
			`{"cookies": {"video_site": "open.txt"}}`:                                                   "cookies: video_site: everybody on this machine",
			`{"cookies": {"bank": "cookies.txt"}}`:                                                      "cookies.bank: is no platform with links",
			`{"cookies": {"photo_site": "cookies.txt"}}`:                                                "has no cookie for",
			`{"cookies": ["cookies.txt"]}`:                                                              "cookies: must be an object of texts",
			`{"ytDlp": {"plugins": "nothing"}}`:                                                         "ytDlp.plugins: " + dir + "/nothing",
			`{"ytDlp": {"extractorArgs": ["--exec"]}}`:                                                  "ytDlp.extractorArgs: want IE_KEY:ARGS",
			`{"tokenProvider": "http://127.0.0.1:4416"}`:                                                "tokenProvider: name the folder",
			`{"tokenProvider": "http://127.0.0.1:4416/path"}`:                                           "tokenProvider: must be http://HOST:PORT",
			`{"players": [{"name": "C", "build": "1"}]}`:                                                "links.json: players[0].build: no player has this member",
			`{"jsRuntime": "perl"}`:                                                                     "jsRuntime: must be deno, node, quickjs or bun",
			`{"jsRuntime": "node:"}`:                                                                    "jsRuntime: must be deno",
			`{"dataAPI": {"url": "http://127.0.0.1:1"}}`:                                                "dataAPI.url: goes with dataAPI.keyFile only",
			`{"dataAPI": {"keyFile": "words.txt"}}`:                                                     "dataAPI.keyFile: words.txt: want a key and nothing else",
			`{"dataAPI": {"keyFile": "none"}}`:                                                          "dataAPI.keyFile: " + dir + "/none: there is no such file",
			`{"dataAPI": {"keyFile": "api.key", "url": "ftp://u:s3cret@a.test"}}`:                       "dataAPI.url: want http://HOST",
			`{"dataAPI": {"keyFile": "api.key", "url": "http://u:s3cret@a.test"}}`:                      "dataAPI.url: the base URL",
			`{"sites": {"video_site": {"links": [1]}}}`:                                                 "sites: video_site.links",
			`{"sites": []}`: "sites: the table must be a JSON object",
		},
		"--recognizers": {
			`{"openai": {"keyFil": "api.key"}}`:            "openai.keyFil: is unknown: want one of checkTimeoutSec, keyFile, model, speakers, uploadLimitBytes",
			`{"openai": {"keyFile": "words.txt"}}`:         "openai.keyFile: words.txt: want a key and nothing else",
			`{"openai": {"keyFile": "long.key"}}`:          "openai.keyFile: " + dir + "/long.key: larger than 1048576 bytes",
			strings.Repeat(" ", 1<<20+1):                   "larger than 1048576 bytes",
			`{"openai": {"speakers": "yes"}}`:              "openai.speakers: must be true or false",
			`{"openai": {"uploadLimitBytes": -1}}`:         "openai.uploadLimitBytes: ",
			`{"openai": {"uploadLimitBytes": 5}}`:          "openai.uploadLimitBytes: uploads of at most 5 bytes",
			`{"whisperServer": {"uploadLimitBytes": 5}}`:   "whisperServer.uploadLimitBytes: uploads of at most 5 bytes",
			`{"whisperServer": {"checkTimeoutSec": -1}}`:   "whisperServer.checkTimeoutSec: must be above 0",
			`{"whisperServer": {"checkTimeoutSec": "4s"}}`: "whisperServer.checkTimeoutSec: must be a number",
			`{"fasterWhisper": "python3"}`:                 "fasterWhisper: must be the path of an interpreter",
			`{"whisperCLI": true}`:                         "whisperCLI: must be a text",
		},
	} {
		for text, says := range rows {
			path := put(t, filepath.Join(dir, strings.TrimPrefix(flag, "--")+".json"), text)
			_, err := parsed(t, flag+"="+path)
			require.ErrorContains(t, err, says, text)
			require.ErrorContains(t, err, flag+": ", text)
			assert.Contains(t, err.Error(), path, text)
			assert.NotContains(t, err.Error(), "s3cret", text)
		}
	}
	_, err := parsed(t, "--links="+dir+"/none.json")
	require.ErrorContains(t, err, "--links: ")
}

// Each flag that is gone names the member that takes its place, also if a variable sets it.
func TestMoved(t *testing.T) {
	type command struct {
		service.Flags
	}
	parse := func(args ...string) error {
		var commands struct {
			Serve command  `cmd:""`
			Other struct{} `cmd:""`
		}
		line := commandline.Program{Name: "moved", Vars: service.Vars("moved", ":0", "0s"), Moved: settings.Moved(), Groups: service.Groups}
		_, err := line.Parse(t.Context(), &commands, 0, args)
		return err
	}
	require.NoError(t, parse("serve"))
	for _, m := range settings.Moved() {
		require.ErrorContains(t, parse("serve", "--"+m.Flag+"=1"), "--"+m.Flag+" is now the member "+m.Member+" of the file that --"+m.File+" names")
	}
	t.Setenv("MOVED_WHISPER_CLI", "whisper-cli")
	require.EqualError(t, parse("serve"), "--whisper-cli is now the member whisperCLI of the file that --recognizers names (from $MOVED_WHISPER_CLI)")
	require.NoError(t, parse("other"), "which has no such file")
	require.EqualError(t, parse("serve", "--paces=1"), `unknown flag --paces: "moved serve --help" shows what there is`)
}

// The files of settings in the pages for operators are right.
func TestSettingsInThePages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "plugins", "bgutil", "yt_dlp_plugins"), 0o755))
	put(t, filepath.Join(dir, "cookies.txt"), cookies)
	put(t, filepath.Join(dir, "berlin.txt"), "user:password")
	for _, key := range []string{"asr.key", "data-api.key"} {
		put(t, filepath.Join(dir, key), "k3y")
	}
	for flag, page := range map[string]string{"--links": "links.md", "--recognizers": "recognizers.md"} {
		text, err := os.ReadFile("../../../docs/operate/" + page)
		require.NoError(t, err)
		blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		assert.NotEmpty(t, blocks)
		for _, block := range blocks {
			_, err := parsed(t, "--asr=none", flag+"="+put(t, filepath.Join(dir, page+".json"), block[1]))
			require.NoError(t, err, block[1])
		}
	}
}
