package ytdlp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var recordFlag = flag.String("record", "", "with -release current: record the cases of testdata/players/answers.json again whose names match, or all if the release is another")

// players are the answers of one release.
type players struct {
	Release string
	Cases   []playersCase
}

// question is what a video site answers in a case. Its other members are for the recorder.
type question struct {
	Name     string          `json:"name"`
	Want     transcript.Code `json:"want"`
	Tracks   int             `json:"tracks"`
	Runtime  *bool           `json:"runtime"` // nil: there is a JavaScript runtime
	Visionos json.RawMessage `json:"visionos"`
}

// TestPlayersAreOfTheInstalledRelease compares the release of the recorded answers with the one
// that make setup installs.
func TestPlayersAreOfTheInstalledRelease(t *testing.T) {
	t.Parallel()
	pinned, err := os.ReadFile("../../../internal/ytdlpenv/requirements.txt")
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^yt-dlp==(\S+)`).FindSubmatch(pinned)
	require.NotNil(t, version)
	assert.Equal(t, string(version[1]), recorded(t).Release,
		"record the answers again: go test ./server/engine/ytdlp -release current -run TestRecordPlayers -record .")
}

// TestRecordPlayers asks the current release each question, by the adapter itself, and keeps
// what the program left behind.
func TestRecordPlayers(t *testing.T) {
	if *recordFlag == "" {
		t.Skip("records testdata with -record")
	}
	require.Equal(t, "current", *releaseFlag, "-release current")
	var asked struct {
		Visionos json.RawMessage
		Cases    []json.RawMessage
	}
	text, err := os.ReadFile("testdata/players/questions.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &asked))
	version, err := newBench(t, installed.program).Version(t.Context())
	require.NoError(t, err)
	before := recorded(t)
	var out bytes.Buffer
	for i, one := range asked.Cases {
		var q question
		require.NoError(t, json.Unmarshal(one, &q))
		at := slices.IndexFunc(before.Cases, func(c playersCase) bool { return c.Name == q.Name })
		var c playersCase
		if at >= 0 && before.Release == version && !regexp.MustCompile(*recordFlag).MatchString(q.Name) {
			c = before.Cases[at]
		} else {
			c = record(t, q, append(bytes.TrimSuffix(one, []byte("}")), ", \"visionos\": "+string(asked.Visionos)+"}"...))
		}
		if i > 0 {
			out.WriteString(",\n")
		}
		line := json.NewEncoder(&out)
		line.SetEscapeHTML(false)
		require.NoError(t, line.Encode(c))
		out.Truncate(out.Len() - 1) // the end of the line
	}
	require.NoError(t, os.WriteFile("testdata/players/answers.json", []byte("{\"release\": \""+version+"\", \"cases\": [\n"+out.String()+"\n]}\n"), 0o600))
}

// record asks a question.
func record(t *testing.T, q question, answers []byte) playersCase {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "question.json"), answers, 0o600))
	program := filepath.Join(dir, "yt-dlp")
	script, err := os.ReadFile(installed.script("yt-dlp-recorder"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, script, 0o700)) // a link would lead to the folder with the runtime
	b := newBench(t, program, func(r *run.Config, o *ytdlp.Options) {
		r.Path = dir // no runtime of this machine
		if q.Runtime == nil {
			o.JSRuntime = "deno:" + deno(t)
		}
	})
	content := b.content(talk)
	content.URL = there(content.URL)
	// The error is judged by the tests that read what is recorded here.
	ctx := context.WithoutCancel(t.Context())
	_, _ = b.Captions(ctx, content, func([]transcript.Track) (int, bool) { return 0, false })
	_, _ = b.Audio(ctx, content, t.TempDir(), engine.AudioOptions{}) // asks all players
	c := playersCase{Name: q.Name, Want: q.Want, Tracks: q.Tracks, Plain: left(t, dir, "plain"), Alone: left(t, dir, "alone")}
	c.Plain.Pages = nil
	return c
}

// left reads what a run has left behind, without what differs from machine to machine.
func left(t *testing.T, dir, how string) (a programAnswer) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, how+".json"))
	require.NoError(t, err)
	var run struct {
		Info, Stderr string
		Code         int
		Pages        map[string]string
	}
	require.NoError(t, json.Unmarshal(text, &run))
	a.Code, a.Info = run.Code, readMembers(t, run.Info)
	for line := range strings.Lines(run.Stderr) {
		ofMachine := strings.HasPrefix(line, "[debug] ") && !strings.HasPrefix(line, "[debug] [") ||
			strings.HasPrefix(line, "  File ") || strings.HasPrefix(line, "Traceback ")
		if !ofMachine {
			a.Stderr += line
		}
	}
	for name, page := range run.Pages {
		if strings.Contains(page, "talk") || strings.Contains(name, "youtubei") {
			if a.Pages == nil {
				a.Pages = map[string]string{}
			}
			a.Pages[name] = page
		}
	}
	return a
}

// readMembers keeps the members of the program's JSON that the adapter reads.
func readMembers(t *testing.T, info string) json.RawMessage {
	t.Helper()
	var all map[string]any
	if strings.TrimSpace(info) == "" || strings.TrimSpace(info) == "null" {
		return json.RawMessage("null")
	}
	require.NoError(t, json.Unmarshal([]byte(info), &all))
	kept := keep(all, "id", "title", "extractor", "duration", "format_id", "acodec", "vcodec", "live_status", "language")
	formats := []any{}
	for _, f := range all["formats"].([]any) {
		formats = append(formats, keep(f.(map[string]any), "format_id", "protocol", "acodec", "vcodec", "url"))
	}
	kept["formats"] = formats
	for _, kind := range []string{"subtitles", "automatic_captions"} {
		tracks := map[string]any{}
		of, _ := all[kind].(map[string]any)
		for lang, forms := range of {
			for _, form := range forms.([]any) {
				if form.(map[string]any)["ext"] == "json3" {
					tracks[lang] = []any{keep(form.(map[string]any), "ext", "url", "name")}
				}
			}
		}
		if len(tracks) > 0 {
			kept[kind] = tracks
		}
	}
	text, err := json.Marshal(kept)
	require.NoError(t, err)
	return text
}

func keep(all map[string]any, names ...string) map[string]any {
	kept := map[string]any{}
	for _, name := range names {
		if value, there := all[name]; there && value != nil {
			kept[name] = value
		}
	}
	return kept
}
