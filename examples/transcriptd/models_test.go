package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// modelTable names, in a process of a test, the file of a table that stands in for the
// one that is compiled in.
const modelTable = "TRANSCRIPTD_TEST_MODELS"

// readModelTable is nil without such a file.
func readModelTable() (table []models.Entry) {
	text, err := os.ReadFile(os.Getenv(modelTable))
	if err == nil {
		err = json.Unmarshal(text, &table)
	}
	if err != nil {
		return nil // the tests miss it
	}
	return table
}

// fakeCLI stands in for whisper-cli: it hears the same in everything.
const fakeCLI = `#!/bin/sh
[ "$1" = --version ] && echo whisper.cpp version: 9.9.9 && exit
while [ $# -gt 1 ]; do [ "$1" = -of ] && out=$2; shift; done
echo '{"result":{"language":"en"},"transcription":[{"offsets":{"from":200,"to":2500},"text":" This is a short talk.","tokens":[]}]}' >"$out.json"
`

// fakeParakeet stands in for parakeet-cli: it hears the same in everything.
const fakeParakeet = `#!/bin/sh
[ "$1" = --help ] && exit
cat >&2 <<EOF
Segments (1):
Segment 0: [0 -> 250] "A bird."
Tokens [2]:
  [ 0] id=    4 frame=  3 dur_idx= 4 dur_val= 4 p=0.9996 plog=-15.6 t0=  24 t1=  56 word_start=true "▁A"
  [ 1] id=    5 frame=  7 dur_idx= 4 dur_val= 4 p=0.9996 plog=-15.6 t0=  56 t1=  90 word_start=true "▁bird."
EOF
`

// modelMirror serves files by their names, and is what pulls need in a process of a test.
type modelMirror struct {
	*httptest.Server
	dir   string // of the files
	small models.Entry
	table string   // the file of the table
	env   []string // with the table, and an empty folder of models
}

func newModelMirror(t *testing.T) modelMirror {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for name, script := range map[string]string{"bin/whisper-cli": fakeCLI, "bin/parakeet-cli": fakeParakeet} {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(script))}))
		_, err := archive.Write([]byte(script))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	m := modelMirror{dir: t.TempDir(), table: filepath.Join(t.TempDir(), "table.json")}
	m.Server = httptest.NewServer(http.FileServer(http.Dir(m.dir)))
	t.Cleanup(m.Close)
	engine := m.add(t, models.Entry{Name: "whisper-cli", Kind: models.KindEngine, OS: runtime.GOOS, Arch: runtime.GOARCH, Version: "9.9.9"}, "engine.tar.gz", packed.Bytes())
	small := models.Entry{Name: "small", Kind: models.KindModel, Recommended: true, Languages: "99", Note: "good"}
	m.small = m.add(t, small, "ggml-small.bin", modelOf(t, 51865))
	m.publish(t, engine, m.small)
	m.env = []string{modelTable + "=" + m.table, "TRANSCRIPTD_MODELS=" + filepath.Join(t.TempDir(), "models")}
	return m
}

// modelOf is a model with the head of the size "small".
func modelOf(t *testing.T, vocabulary int32) []byte {
	t.Helper()
	var model bytes.Buffer
	require.NoError(t, binary.Write(&model, binary.LittleEndian, []int32{0x67676d6c, vocabulary, 1500, 768, 12, 12, 448, 768, 12, 12, 80, 1}))
	model.Write(make([]byte, 50_000))
	return model.Bytes()
}

// add adds a file to the mirror, and returns its entry.
func (m modelMirror) add(t *testing.T, e models.Entry, file string, content []byte) models.Entry {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, file), content, 0o600))
	sum := sha256.Sum256(content)
	e.URL, e.Bytes, e.SHA256 = "https://files.invalid/"+file, int64(len(content)), hex.EncodeToString(sum[:])
	e.License = cmp.Or(e.License, "MIT")
	return e
}

// publish writes the table.
func (m modelMirror) publish(t *testing.T, all ...models.Entry) {
	t.Helper()
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(m.table, text, 0o600))
}

// entries reads the table.
func (m modelMirror) entries(t *testing.T) (all []models.Entry) {
	t.Helper()
	text, err := os.ReadFile(m.table)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

// addParakeet adds a model of Parakeet to the mirror and to the table.
func (m modelMirror) addParakeet(t *testing.T) models.Entry {
	t.Helper()
	e := models.Entry{
		Name: "parakeet", Kind: models.KindModel, Program: models.ParakeetCLI, License: "CC-BY-4.0", Author: "NVIDIA",
		Languages: "25 of Europe", Note: "the most accurate",
	}
	e = m.add(t, e, "ggml-parakeet.bin", modelOf(t, 8192))
	m.publish(t, append(m.entries(t), e)...)
	return e
}

// models runs a command of transcriptd models.
func (m modelMirror) models(t *testing.T, args ...string) answer {
	t.Helper()
	code, stdout, stderr := finish(program(t, m.env, append([]string{"models"}, args...)...))
	return answer{code, stdout, stderr}
}

// A model that was pulled recognizes from the next start on, and the transcript says so.
func TestServeWithAPulledModel(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	m := newModelMirror(t)
	pulled := m.models(t, "pull", "small", "--yes", "--mirror", m.URL)
	require.Equal(t, exitOK, pulled.code, pulled.stderr)

	db := newDatabase(t)
	p := start(t, m.env, "--db", db)
	assert.Contains(t, p.greeting, "asr=whisper-cli model=small")
	assert.Equal(t, "ok", readiness(t, p.addr)["asr"])
	result, err := reader(t, db, p.addr).Transcripts.Get(t.Context(), transcript.Request{
		Source: transcript.File(recording), SendMetadata: true,
	})
	require.NoError(t, err)
	assert.Equal(t, "This is a short talk.", result.Transcript.Segments[0].Text)
	assert.Equal(t, "whisper-cli", result.Transcript.Metadata["engine"])
	assert.Equal(t, "small", result.Transcript.Metadata["model"])
	assert.Equal(t, m.small.SHA256, result.Transcript.Metadata["modelSHA256"])
	stop(t, p)
}

// Where one of its languages is asked for, Parakeet recognizes; Whisper detects the others.
func TestServePrefersParakeet(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	m := newModelMirror(t)
	bird := m.addParakeet(t)
	for _, name := range []string{"small", "parakeet"} {
		a := m.models(t, "pull", name, "--yes", "--mirror", m.URL)
		require.Equal(t, exitOK, a.code, a.stderr)
	}
	a := m.models(t, "list")
	assert.Regexp(t, `(?m)^whisper-cli .* installed, serve's choice `, a.stdout)
	assert.Regexp(t, `(?m)^small .* installed, serve's choice `, a.stdout)
	assert.Regexp(t, `(?m)^parakeet +model +0\.1 MB +25 of Europe +CC-BY-4\.0, by NVIDIA +installed, serve's choice +the most accurate$`, a.stdout)
	assert.Contains(t, a.stderr, "for 25 languages parakeet-cli parakeet (Parakeet: very good")
	a = m.models(t, "verify")
	assert.Equal(t, "whisper-cli: good\nsmall: good\nparakeet: good\n", a.stdout)

	db := newDatabase(t)
	p := start(t, m.env, "--db", db)
	assert.Equal(t, "ok", readiness(t, p.addr)["asr"])
	for _, tt := range []struct {
		language           []string
		engine, text, lang string
	}{
		{nil, "whisper-cli", "This is a short talk.", "en"},
		{[]string{"de"}, "parakeet-cli", "A bird.", "de"},
		{[]string{"ja"}, "whisper-cli", "This is a short talk.", "ja"},
	} {
		result, err := reader(t, db, p.addr).Transcripts.Get(t.Context(), transcript.Request{
			Source: transcript.File(recording), Language: tt.language, SendMetadata: true,
		})
		require.NoError(t, err, tt)
		assert.Equal(t, tt.text, result.Transcript.Segments[0].Text, tt)
		assert.Equal(t, tt.lang, result.Transcript.Lang, tt)
		assert.Equal(t, tt.engine, result.Transcript.Metadata["engine"], tt)
		if tt.engine == "parakeet-cli" {
			assert.Equal(t, bird.SHA256, result.Transcript.Metadata["modelSHA256"])
		}
	}
	stop(t, p)
}

func TestModels(t *testing.T) {
	t.Parallel()
	m := newModelMirror(t)
	folder := strings.TrimPrefix(m.env[1], "TRANSCRIPTD_MODELS=")

	a := m.models(t, "list")
	assert.Equal(t, exitOK, a.code, a.stderr)
	assert.Regexp(t, `(?m)^whisper-cli +engine +\S+ MB +- +MIT +absent +the programs that recognize, version 9\.9\.9$`, a.stdout)
	assert.Regexp(t, `(?m)^small +model +0\.1 MB +99 +MIT +absent +recommended: good$`, a.stdout)
	assert.Contains(t, a.stderr, "pocketsphinx")

	a = m.models(t, "pull", "small", "--mirror", m.URL)
	assert.Equal(t, exitFailure, a.code)
	for _, says := range []string{
		"engine whisper-cli: ", " license MIT, from " + m.URL + "/engine.tar.gz\n",
		"model small: 50048 bytes (0.1 MB to come), license MIT, from " + m.URL + "/ggml-small.bin\n",
		"The engine is included, because no other engine works here: whisper-cli is not installed.\n",
		"Altogether 0.1 MB into " + folder + ", which has ", "B free.\n",
		"transcriptd: there is no terminal to ask on: --yes continues without asking\n",
	} {
		assert.Contains(t, a.stderr, says)
	}
	assert.NoDirExists(t, folder)

	require.NoError(t, os.Rename(filepath.Join(m.dir, "ggml-small.bin"), filepath.Join(m.dir, "along")))
	a = m.models(t, "pull", "small", "--mirror", m.URL, "--yes")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "ggml-small.bin from "+m.URL+"/ggml-small.bin: it answers 404 Not Found")
	a = m.models(t, "pull", "small", "--file", filepath.Join(m.dir, "along"), "--yes")
	assert.Equal(t, exitOK, a.code, a.stderr)
	assert.NotContains(t, a.stderr, "engine", "it is there since the first try")
	assert.Contains(t, a.stderr, "small: fetching 100%\n")
	assert.Contains(t, a.stderr, "small is installed in "+folder+". Serve uses it from its next start.\n")
	a = m.models(t, "pull", "small")
	assert.Equal(t, answer{exitOK, "", "small is there already, in " + folder + ".\n"}, a)
	a = m.models(t, "list")
	assert.Regexp(t, `(?m)^small .* installed, serve's choice +recommended: good$`, a.stdout)
	assert.Regexp(t, `(?m)^whisper-cli .* installed, serve's choice `, a.stdout)
	assert.Contains(t, a.stderr, "whisper-cli small (it was pulled)")
	a = m.models(t, "verify")
	assert.Equal(t, exitOK, a.code, a.stderr)
	assert.Equal(t, "whisper-cli: good\nsmall: good\n", a.stdout)

	model := filepath.Join(folder, "small-"+m.small.SHA256[:16], "ggml-small.bin")
	content, err := os.ReadFile(model)
	require.NoError(t, err)
	content[20_000]++
	require.NoError(t, os.WriteFile(model, content, 0o600))
	a = m.models(t, "verify")
	assert.Equal(t, exitFailure, a.code)
	assert.Equal(t, "whisper-cli: good\nsmall: damaged\n", a.stdout)
	assert.Contains(t, a.stderr, "transcriptd: damaged and not used: small: \"transcriptd models pull small\" gets it again\n")

	for _, name := range []string{"small", "whisper-cli"} {
		assert.Equal(t, answer{exitOK, "", name + " is removed.\n"}, m.models(t, "rm", name))
	}
	a = m.models(t, "rm", "small")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "nothing of small is in "+folder)
	a = m.models(t, "rm", "../small")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "no such model or engine: \"../small\" (there are whisper-cli, small): \"transcriptd models list\" tells more about them\n")
	assert.Equal(t, answer{exitOK, "", "Nothing was pulled.\n"}, m.models(t, "verify"))
	a = m.models(t, "pull", "small", "--yes", "--mirror", "ftp://u:secret@host")
	assert.Equal(t, exitUsage, a.code)
	assert.Contains(t, a.stderr, "--mirror: ")
	assert.NotContains(t, a.stderr, "secret")
	m.Close()
	a = m.models(t, "pull", "small", "--yes", "--mirror", m.URL)
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "set HTTPS_PROXY to a proxy, --mirror to another server, or --file to a local file\n")
}

// The first model is pulled if its address answers in time, and no second one.
func TestPullTheFirstModel(t *testing.T) {
	t.Parallel()
	m := newModelMirror(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	for _, mirror := range []string{"http://" + silent.Addr().String(), "http://127.0.0.1:1"} {
		a := m.models(t, "pull", "small", "--first", "1s", "--yes", "--mirror", mirror)
		assert.Equal(t, exitFailure, a.code)
		assert.Contains(t, a.stderr, strings.TrimPrefix(mirror, "http://")+" has not answered within 1s: ")
	}
	a := m.models(t, "pull", "small", "--first", "1m", "--yes", "--mirror", m.URL)
	assert.Equal(t, exitOK, a.code, a.stderr)
	assert.Contains(t, a.stderr, "small is installed")
	a = m.models(t, "pull", "small", "--first", "1s", "--yes", "--mirror", "http://127.0.0.1:1")
	assert.Equal(t, answer{exitOK, "", ""}, a, "one is there")
}

// The check of all models says clearly that there is no network.
func TestFieldCheckWithoutANetwork(t *testing.T) {
	full(t)
	t.Parallel()
	script, err := filepath.Abs("../../.ci/field-check")
	require.NoError(t, err)
	self, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	cmd := program(t, []string{"TRANSCRIPTD=" + self, "HTTPS_PROXY=http://127.0.0.1:1", "TMPDIR=" + t.TempDir()})
	cmd.Path, cmd.Args = script, []string{script}
	code, _, stderr := finish(cmd)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "it cannot be reached")
	assert.Regexp(t, `\nfield-check: the model tiny cannot be had: this check needs the internet, [^\n]+\n\z`, stderr)
}
