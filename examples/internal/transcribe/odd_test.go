package transcribe

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// oddTable are odd uses of the program, with the files and the service that they need.
type oddTable struct {
	t    *testing.T
	dir  string // of good and bad files
	s    *servertest.Server
	uses []programtest.OddUse
}

// write makes a file in the folder of the table.
func (o *oddTable) write(name, text string) string {
	o.t.Helper()
	path := filepath.Join(o.dir, name)
	require.NoError(o.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// odd calls the program with the arguments of a line and a good key. DIR stands for the folder of
// the table. The service is the table's unless the line names another.
func (o *oddTable) odd(what string, code int, cure, line string) {
	o.t.Helper()
	o.oddTo(what, code, cure, line, nil, map[string]string{"TRANSCRIBE_SERVER": o.s.URL, "TRANSCRIBE_KEY": o.s.Key})
}

// at is odd with a service of its own, which answers everything alike.
func (o *oddTable) at(what string, code int, cure, line string, answers http.HandlerFunc) {
	o.t.Helper()
	s := httptest.NewServer(answers)
	defer s.Close()
	o.oddTo(what, code, cure, line, nil, map[string]string{"TRANSCRIBE_SERVER": s.URL, "TRANSCRIBE_KEY": o.s.Key})
}

// oddTo is odd with another standard output, and another environment.
func (o *oddTable) oddTo(what string, code int, cure, line string, stdout io.Writer, env map[string]string) {
	o.t.Helper()
	var output bytes.Buffer
	if stdout == nil {
		stdout = &output
	}
	p := process{
		name: "transcribe", getenv: func(name string) string { return env[name] }, stdin: strings.NewReader(""), stdout: stdout, stderr: &output,
		pace: quickPace,
	}
	exited := p.main(o.t.Context(), strings.Fields(strings.ReplaceAll(line, "DIR", o.dir)))
	o.uses = append(o.uses, programtest.OddUse{What: what, Call: "transcribe " + line, Code: code, Cure: cure, Exited: exited, Output: output.String()})
}

// Odd uses end with the right exit code and a cure, and show no inner text.
func TestOddUses(t *testing.T) {
	t.Parallel()
	groups := []func(*oddTable){(*oddTable).calls, (*oddTable).files, (*oddTable).outputs, (*oddTable).services, (*oddTable).answers, (*oddTable).plans, (*oddTable).follows}
	tables := make([]oddTable, len(groups))
	t.Run("uses", func(t *testing.T) {
		for i, group := range groups {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				tables[i] = oddTable{t: t, dir: t.TempDir(), s: servertest.New(t)}
				tables[i].write("talk.mp3", "the media")
				group(&tables[i])
			})
		}
	})
	var uses []programtest.OddUse
	var steady []string
	for _, o := range tables {
		uses = append(uses, o.uses...)
		steady = append(steady, strings.Replace(o.s.URL, "http:", "https:", 1), "https://SERVICE", o.s.URL, "SERVICE", o.dir, "DIR", o.s.Key, "tr_KEY")
	}
	programtest.CheckOdd(t, filepath.Join("testdata", "odd.golden"), *update, uses, steady...)
}

func (o *oddTable) calls() {
	o.odd("nothing to do", 2, "name a link or a file", "")
	o.odd("an unknown flag", 2, "did you mean", "--formt srt DIR/talk.mp3")
	o.odd("a flag without its value", 2, `"transcribe --help" shows`, "DIR/talk.mp3 --format")
	o.odd("an unknown format", 2, `"srt"`, "--format doc DIR/talk.mp3")
	o.odd("a PDF", 2, "print it as PDF", "--output DIR/talk.pdf DIR/talk.mp3")
	o.odd("a number in words", 2, "no whole number", "--max-items many @somebody")
	o.odd("a number out of bounds", 2, "from 1 to 500", "--max-items 501 @somebody")
	o.odd("a language that is none", 2, "--language", "--language en,de_DE DIR/talk.mp3")
	o.odd("subtitles without times", 2, "is for txt, md", "--no-timestamps --format srt DIR/talk.mp3")
	o.odd("a table of a recording", 2, "csv is for links", "--format csv DIR/talk.mp3")
	o.odd("notes of several links", 2, "--format md", "--format md https://youtu.be/dQw4w9WgXcQ https://youtu.be/9bZkp7q19f0")
	o.odd("an audio track that is none", 2, "from 1 to 99", "--audio-track 0 DIR/talk.mp3")
	o.odd("an audio track in two languages", 2, "one language tag", "--audio-track de,en DIR/talk.mp3")
	o.odd("a crowd of speakers", 2, "from 1 to 20", "--speakers 21 DIR/talk.mp3")
	o.odd("speakers of a playlist", 2, "leave them out", "--speakers 2 --playlist PL1234567890")
	o.odd("whole recordings of a search", 2, "leave them out", "--require-whole search moon")
	o.odd("a shell that is not known", 2, `"bash"`, "--completion csh")
	o.odd("a key file that is not there", 2, "correct the name", "--key-file /nowhere/key DIR/talk.mp3")
	o.odd("a key file that is a folder", 2, "name a file in it", "--key-file DIR DIR/talk.mp3")
	o.odd("a key file that is empty", 2, "write the key into it", "--key-file /dev/null DIR/talk.mp3")
	o.odd("an address without a scheme", 2, "must be http or https", "--server nowhere DIR/talk.mp3")
	o.odd("a job that there is not", 1, "this account has neither a job nor a batch", "--job 019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")
}

func (o *oddTable) files() {
	o.write("empty.mp3", "")
	o.write("list.txt", "DIR/no.mp3\n")
	o.odd("a recording that is not there", 2, "correct the name", "DIR/no.mp3")
	o.odd("a link that is mistyped", 2, "correct the name", "dQw4w9WgXc")
	o.odd("a folder", 2, "--watch", "DIR")
	o.odd("a recording that is empty", 2, "record it again", "DIR/empty.mp3")
	o.odd("a list that is not there", 2, "correct the name", "--from /nowhere/list.txt")
	o.odd("a list with a recording that is not there", 2, "correct the name", "--from DIR/list.txt")
	o.write("media.mp3", "OggS\x00\x02 the media")
	o.write("long.txt", strings.Repeat("link", 1<<15))
	o.odd("a recording as a list", 2, "a recording is an argument", "--from DIR/media.mp3")
	o.odd("a list with a line without an end", 2, "one a line", "--from DIR/long.txt")
	o.odd("a list that is empty", 2, "name a link or a file", "--from /dev/null")
	o.odd("standard input twice", 2, "standard input is read once", "- --from -")
	o.odd("a recording on standard input that is empty", 1, "send a recording", "-")
	o.s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "There is no sound track in the file: send a recording with sound."))
	o.odd("a recording without a sound track", 1, "send a recording with sound", "DIR/talk.mp3")
}

func (o *oddTable) outputs() {
	o.write("other.mp3", "other media")
	require.NoError(o.t, os.Mkdir(filepath.Join(o.dir, "talk.txt"), 0o700))
	o.odd("an output in a folder that is not there", 2, "make it first", "--output DIR/no/talk.txt DIR/talk.mp3")
	o.odd("several texts for one file", 2, "need a folder", "--output DIR/all.txt DIR/talk.mp3 DIR/other.mp3")
	o.odd("several texts for standard output", 2, "need a folder", "DIR/talk.mp3 DIR/other.mp3")
	o.odd("two texts of one name", 2, "transcribe them separately", "--output DIR DIR/other.mp3 DIR/other.mp3")
	o.odd("a folder where a text is to be written", 2, "is a folder", "--output DIR DIR/talk.mp3")
	o.write("list.txt", filepath.Join(o.dir, "talk.mp3")+"\n")
	o.odd("an output that is the recording", 2, "name another file", "--output DIR/talk.mp3 DIR/talk.mp3")
	o.odd("an output that is another recording", 2, "name another file", "--output DIR/other.mp3 DIR/talk.mp3")
	o.odd("an output that is the list", 2, "name another file", "--output DIR/list.txt --from DIR/list.txt")
	o.odd("an output below a file", 2, "name another path", "--output DIR/talk.mp3/talk.srt DIR/talk.mp3")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return // only Linux has it
	}
	defer full.Close()
	env := map[string]string{"TRANSCRIBE_SERVER": o.s.URL, "TRANSCRIBE_KEY": o.s.Key}
	o.oddTo("a text for a disk that is full", 1, "make room", "DIR/talk.mp3", full, env)
	reader, closed, err := os.Pipe()
	require.NoError(o.t, err)
	defer closed.Close()
	require.NoError(o.t, reader.Close())
	o.oddTo("a text whose reader has gone", 1, "the reader has gone", "DIR/talk.mp3", closed, env)
}

func (o *oddTable) services() {
	gone := httptest.NewServer(nil)
	gone.Close()
	o.odd("a service that is away", 1, `start one with "transcriptd serve"`, "--server "+gone.URL+" DIR/talk.mp3")
	o.odd("a service on a host that is not there", 1, "--server", "--server http://nowhere.invalid DIR/talk.mp3")
	o.odd("TLS to a service that speaks plain http", 1, "must begin with http://", "--server "+strings.Replace(o.s.URL, "http:", "https:", 1)+" DIR/talk.mp3")
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused certificates
	secure.StartTLS()
	defer secure.Close()
	o.odd("a certificate that is not trusted", 1, "add the certificate", "--server "+secure.URL+" DIR/talk.mp3")
	o.oddTo("no key", 1, "--key-file or TRANSCRIBE_KEY", "DIR/talk.mp3", nil, map[string]string{"TRANSCRIBE_SERVER": o.s.URL})
	o.oddTo("a wrong key", 1, "is another service's, has expired or is revoked", "DIR/talk.mp3", nil,
		map[string]string{"TRANSCRIBE_SERVER": o.s.URL, "TRANSCRIBE_KEY": "tr_9fK2mQ7a_JbnNmNnVnTnKnLnMnNnPnQnRnSnTnUnVnWnX"})
	o.oddTo("a key that is none", 2, "TRANSCRIBE_KEY", "DIR/talk.mp3", nil, map[string]string{"TRANSCRIBE_SERVER": o.s.URL, "TRANSCRIBE_KEY": "two words"})
	o.at("a web page in place of the service", 1, "--server", "DIR/talk.mp3", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in</title>") // the client may have gone
	})
	o.at("another service that knows no such address", 1, "--server", "DIR/talk.mp3", http.NotFound)
	o.at("a proxy that refuses", 1, "--server", "DIR/talk.mp3", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
}

func (o *oddTable) answers() {
	refuse := func(code transcript.Code, message string) {
		o.s.Engine.FailCaptions(transcript.Errorf(code, "%s", message))
	}
	o.odd("a link to an unknown site", 1, "save the recording", "https://nowhere.example/1")
	o.odd("a link to a private address", 1, "save the recording", "http://192.168.0.1/talk.mp3")
	refuse(transcript.Unavailable, "The video is private.")
	o.odd("a video that is private", 1, "check the link", "https://youtu.be/dQw4w9WgXcQ")
	refuse(transcript.LoginRequired, "The video wants a login. The service does not log in anywhere: upload the recording instead.")
	o.odd("a video that wants a login", 1, "upload the recording instead", "https://youtu.be/9bZkp7q19f0")
	o.odd("a playlist that is none", 1, "nor a playlist id", "--playlist nothing")
	o.odd("a channel that is none", 1, "nor a channel id", "--channel no/channel")
	o.s.Engine.Say("")
	o.odd("a recording in which nothing is said", 0, "Nothing was heard", "DIR/talk.mp3")
	o.odd("a language that the recognizer does not know", 1, "it knows en", "--language fr DIR/talk.mp3")
}

func (o *oddTable) follows() {
	o.odd("nothing to follow", 2, "follow LINK", "follow")
	o.odd("a follow to pause without its id", 2, "follow list", "follow pause")
	o.odd("a list of follows with a name", 2, "takes no argument", "follow list all")
	o.odd("follows into a file", 2, "--output", "follow list --output DIR/list.txt")
	o.odd("a link that is nothing to follow", 1, "http or https address", "follow nothing")
	o.odd("a follow that is not there", 1, "no such follow", "follow remove 019321a0-7c11-7c3e-9a55-2f6d1f0c9b11")
	o.odd("a file of subscriptions that is not there", 1, "correct the name", "follow import /nowhere/list.opml")
	o.write("list.opml", "<html><body>No list</body></html>")
	o.odd("a file of subscriptions that is a web page", 1, "list of subscriptions", "follow import DIR/list.opml")
}

func (o *oddTable) plans() {
	for _, row := range []struct {
		what, cure string
		change     func(*account.Plan)
	}{
		{"no transcripts left", "Upgrade: https://example.com/plans", func(p *account.Plan) { p.TranscriptsPerPeriod = 0 }},
		{"a recording that is too long for the plan", "Upgrade: https://example.com/plans", func(p *account.Plan) { p.MaxDuration = 5 * time.Second }},
		{"a plan without uploads", "Upgrade: https://example.com/plans", func(p *account.Plan) { p.Upload = false }},
	} {
		plan := account.WithoutLimits("small")
		plan.ActionLabel, plan.ActionURL = "Upgrade", "https://example.com/plans"
		row.change(&plan)
		s := servertest.New(o.t, servertest.OnPlan(plan))
		o.oddTo(row.what, 1, row.cure, "DIR/talk.mp3", nil, map[string]string{"TRANSCRIBE_SERVER": s.URL, "TRANSCRIBE_KEY": s.Key})
	}
}
