package e2e_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/directmedia"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	inside "github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A service that can be killed must be a process of its own: the test binary
// runs itself again as one.
const (
	childDatabase = "E2E_CHILD_DATABASE"
	childBlobs    = "E2E_CHILD_BLOBS"
	childAddr     = "E2E_CHILD_ADDR"
	childDiary    = "E2E_CHILD_DIARY"
	childScratch  = "E2E_CHILD_SCRATCH"
	childMinFree  = "E2E_CHILD_MIN_FREE"
	childRole     = "E2E_CHILD_ROLE"
	childPlans    = "E2E_CHILD_PLANS"
	childReads    = "E2E_CHILD_READS"
	childTold     = "E2E_CHILD_TOLD"
	childWhisper  = "E2E_CHILD_WHISPER"
	childDirect   = "E2E_CHILD_DIRECT"
	childFollows  = "E2E_CHILD_FOLLOWS"
	childAllow    = "E2E_CHILD_ALLOW"
	childEvery    = "E2E_CHILD_EVERY"
	childVoices   = "E2E_CHILD_VOICES"
)

func TestMain(m *testing.M) {
	if os.Getenv(childDatabase) != "" {
		if err := serveChild(); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childDrain is how long a child that is told to end says so before.
const childDrain = 2 * time.Second

// serveChild serves until its standard input ends, or in good order until it is
// told to end.
func serveChild() error {
	ctx := context.Background()
	ended, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	s, err := store.Open(ctx, store.Options{Database: os.Getenv(childDatabase), Blobs: os.Getenv(childBlobs), OpenBucket: s3store.Open})
	if err != nil {
		return err
	}
	minFree, err := strconv.ParseInt(os.Getenv(childMinFree), 10, 64)
	if err != nil {
		return err
	}
	accounts, err := childAccounts(s)
	if err != nil {
		return err
	}
	direct := os.Getenv(childDirect)
	config := server.Config{
		DirectMedia: direct != "",
		Egress:      server.Egress{Allow: strings.Fields(direct + " " + os.Getenv(childAllow))},
		Store:       s,
		Accounts:    accounts,
		Role:        server.Role(os.Getenv(childRole)),
		Dir:         os.Getenv(childScratch),
		Limits:      server.Limits{MinFreeDisk: minFree, ASRWorkers: 1},
		DrainDelay:  childDrain,
		Pace:        pace.Config{Rate: pace.Unlimited()},
		JobEnded:    childHook(),

		FollowFailing: noteFailing(),
		Engine: func(host engine.Host) (engine.Engine, error) {
			e := engine.Engine{Captions: []engine.CaptionSource{childCaptions()}, Media: ffmpeg.New(host), Recognizer: childRecognizer()}
			err := addVoices(host, &e)
			if err == nil && direct != "" {
				e.Direct, err = directmedia.New(host, directmedia.Options{})
			}
			return e, err
		},
	}
	if clock := os.Getenv(childFollows); clock != "" {
		set := inside.SettingsOf(&config)
		set.Follows, set.Webhooks = quickFollows(clock), quickWebhooks(clock)
	}
	srv, err := server.New(ctx, config)
	if err != nil {
		return err
	}
	if err := srv.Start(ctx); err != nil {
		return err
	}
	if os.Getenv(childRole) == string(server.RoleWorker) {
		fmt.Fprintln(os.Stdout, "working")
	} else {
		l, err := net.Listen("tcp", os.Getenv(childAddr))
		if err != nil {
			return err
		}
		go func() { _ = srv.HTTPServer("").Serve(l) }() // ends with the process
		fmt.Fprintln(os.Stdout, "listening", l.Addr())
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until it ends
		os.Exit(0)
	}()
	<-ended.Done()
	patient, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return errors.Join(srv.Stop(patient), s.Close())
}

// childAccounts are on the plans of a file, if there is one.
func childAccounts(s *store.Store) (*account.Accounts, error) {
	file := os.Getenv(childPlans)
	if file == "" {
		return account.New(s, account.DefaultPlans())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	plans, err := account.ReadPlans(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return account.New(s, plans)
}

// diarist is a recognizer that takes a second for a chunk, hears the hash of
// its samples, and keeps a diary of what it began, so that a test can count
// across a kill.
type diarist struct{ diary string }

func (diarist) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "diarist", Languages: []string{"en"}}
}

func (d diarist) Recognize(ctx context.Context, audio engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	hash, err := hashOf(audio.Path)
	if err != nil {
		return engine.Recognition{}, err
	}
	if err := d.write(hash); err != nil {
		return engine.Recognition{}, err
	}
	const steps = 10
	for i := range steps {
		select {
		case <-ctx.Done():
			return engine.Recognition{}, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
		if o.Progress != nil {
			o.Progress(audio.Duration / steps * time.Duration(i+1))
		}
	}
	return heardHash(audio)
}

func heardHash(audio engine.Audio) (engine.Recognition, error) {
	hash, err := hashOf(audio.Path)
	segment := transcript.Segment{Text: hash, Duration: audio.Duration.Seconds()}
	return engine.Recognition{Segments: []transcript.Segment{segment}, Language: "en"}, err
}

func (d diarist) write(hash string) error {
	f, err := os.OpenFile(d.diary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, hash); err != nil {
		return err
	}
	return f.Close()
}

func hashOf(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))[:16], nil
}

// begun is how often each chunk was begun, by the hash of its audio.
func begun(t *testing.T, diary string) map[string]int {
	t.Helper()
	b, err := os.ReadFile(diary)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	count := map[string]int{}
	for _, hash := range strings.Fields(string(b)) {
		count[hash]++
	}
	return count
}

// child is a running service process.
type child struct {
	cmd *exec.Cmd
	url string
}

// place is where the children of one test keep their data.
type place struct {
	database, blobs, diary string
	program                string // of the child; "": this one
	scratch                string // "": the system's
	minFree                int64  // bytes; 0: the server's default
	role                   server.Role
	plans                  string        // a plans file; "": account.DefaultPlans
	told                   string        // a file for the ends of jobs that the child is told of; "": it is not
	whisper                string        // the address of a real Whisper; "": a diarist recognizes
	direct                 string        // the host of direct links; "": the child takes none
	follows                string        // the file with the clock of follows and webhooks; "": they work as usual
	voices                 string        // the Python that tells speakers apart; "": nothing does
	every                  time.Duration // the pause between two looks at what is followed
	allow                  string        // a private address that links may lead to
	reads                  string        // how long captions take, which are noted in the diary; "": as a teller's
}

func newPlace(t testing.TB, database string) place {
	t.Helper()
	dir := t.TempDir()
	return place{database: database, blobs: filepath.Join(dir, "blobs"), diary: filepath.Join(dir, "diary")}
}

// spawn starts a child and waits until it listens, or a worker works. It dies with
// the test.
func (s place) spawn(t testing.TB, addr string) *child {
	t.Helper()
	cmd := exec.Command(cmp.Or(s.program, os.Args[0]), "-test.run=^$")
	cmd.Env = append(os.Environ(),
		childDatabase+"="+s.database, childBlobs+"="+s.blobs, childAddr+"="+addr, childDiary+"="+s.diary,
		childWhisper+"="+s.whisper, childDirect+"="+s.direct, childRole+"="+string(s.role), childPlans+"="+s.plans, childReads+"="+s.reads, childFollows+"="+s.follows, childAllow+"="+s.allow, childEvery+"="+s.every.String(), childVoices+"="+s.voices, childTold+"="+s.told, childScratch+"="+s.scratch, childMinFree+"="+strconv.FormatInt(s.minFree, 10))
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &child{cmd: cmd}
	t.Cleanup(func() { c.kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "the child did not start")
	c.url = "http://" + strings.TrimPrefix(strings.TrimSpace(line), "listening ")
	return c
}

// kill is kill -9: nothing in the process learns of it.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may be dead already
	_ = c.cmd.Wait()         // reports the kill
}

// peakMemory is the most memory that the process has had at once, in kB.
func (c *child) peakMemory(t testing.TB) (kB int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(after, &kB)
	require.NoError(t, err)
	return kB
}

// freeAddr is a loopback address that nobody listened on a moment ago.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
