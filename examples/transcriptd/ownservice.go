package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
)

// ownService is the service of the calls of "transcriptd transcribe" and "transcriptd mcp" by one
// user. The calls share one database, and so one service: one call runs the service in its own
// process, on a port of the loopback interface, and the other calls use that service. If the
// process with the service ends, the next request of another call starts the service there.
// Unfinished jobs stay in the database.
type ownService struct {
	folder string
	call   string // the name of this call, for its turns among other calls
	choose chooser
	ctx    context.Context // ends after the call

	mu      sync.Mutex
	opened  bool               // the work of this call may have begun
	held    *localservice.File // nil if the service runs elsewhere
	log     *os.File
	running *running
	at      localservice.Service // of running
}

// chooser returns the parts of the service. It is called when the service starts in this
// process. first says that the work of this call has not begun, so that the program may still
// ask the user.
type chooser func(ctx context.Context, log *slog.Logger, first bool) (service.Setup, error)

// openOwnService returns the service in the user's state folder, and starts the service unless
// another call runs it. The caller closes it.
func openOwnService(ctx context.Context, choose chooser) (*ownService, error) {
	folder, err := localservice.Folder()
	if err != nil {
		return nil, err
	}
	o := &ownService{folder: folder, call: rand.Text(), choose: choose, ctx: context.WithoutCancel(ctx)}
	if _, err := o.find(ctx); err != nil {
		return nil, errors.Join(o.cure(err), o.close())
	}
	o.opened = true
	return o, nil
}

// shared reports whether another process runs the service.
func (o *ownService) shared() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.running == nil
}

// RoundTrip sends a request to the service. It is called by the client.
func (o *ownService) RoundTrip(r *http.Request) (*http.Response, error) {
	at, err := o.reach(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // the request fails anyway
		}
		return nil, err
	}
	return roundTrip(r, at)
}

// reach returns the service for requests of this call, and starts the service if no process runs
// it. Every error names its remedy.
func (o *ownService) reach(ctx context.Context) (localservice.Service, error) {
	at, err := o.find(ctx)
	if err != nil {
		return localservice.Service{}, o.cure(err)
	}
	at.Key += callerMark + o.call
	return at, nil
}

// roundTrip sends a request to a service on this machine. The answer belongs to the original
// request of the caller, which does not contain the address of that service.
func roundTrip(asked *http.Request, at localservice.Service) (*http.Response, error) {
	to, err := url.Parse(at.URL)
	if err != nil {
		return nil, err
	}
	r := asked.Clone(asked.Context())
	r.URL.Scheme, r.URL.Host, r.Host = to.Scheme, to.Host, to.Host
	r.Header.Set("Authorization", "Bearer "+at.Key)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		resp.Request = asked
	}
	return resp, err
}

// lookForService is the pause between two checks for a service that another process
// starts.
const lookForService = 20 * time.Millisecond

// find returns the service, and starts the service if no process runs it.
func (o *ownService) find(ctx context.Context) (localservice.Service, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	file := filepath.Join(o.folder, "transcribe.json")
	for o.running == nil {
		held, err := localservice.Hold(file, 0)
		if err == nil {
			return o.at, o.start(held)
		}
		if !errors.Is(err, localservice.ErrHeld) {
			return localservice.Service{}, err
		}
		at, err := localservice.Read(file)
		if !errors.Is(err, localservice.ErrNone) {
			return at, err
		}
		select {
		case <-ctx.Done():
			return localservice.Service{}, context.Cause(ctx)
		case <-time.After(lookForService):
		}
	}
	return o.at, nil
}

// start starts the service in this process.
func (o *ownService) start(held *localservice.File) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, o.release())
		}
	}()
	o.held = held
	if o.log, err = os.OpenFile(filepath.Join(o.folder, "transcribe.log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	if err := service.KeepPrivate(); err != nil {
		return fmt.Errorf("closing the process to others: %w", err)
	}
	setup, err := o.choose(o.ctx, slog.New(slog.NewTextHandler(o.log, nil)), !o.opened)
	if err != nil {
		return err
	}
	setup.Listen = "127.0.0.1:0"
	setup.DB = service.Database("sqlite:" + filepath.Join(o.folder, "transcribe.db"))
	setup.Blobs = service.BlobPlace(filepath.Join(o.folder, "transcribe-blobs"))
	secret := rand.Text()
	if o.running, err = startService(o.ctx, setup, part{role: server.RoleAll, authenticator: callers{secret}}); err != nil {
		return err
	}
	o.at = localservice.Service{URL: "http://" + o.running.addr(), Key: secret}
	return held.Write(o.at)
}

// close stops the service if this process runs it.
func (o *ownService) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.release()
}

func (o *ownService) release() error {
	var errs []error
	if o.running != nil {
		errs = append(errs, o.running.stop())
	}
	if o.held != nil {
		errs = append(errs, o.held.Release())
	}
	if o.log != nil {
		errs = append(errs, o.log.Close())
	}
	o.running, o.held, o.log = nil, nil, nil
	return errors.Join(errs...)
}

// cure adds what the user can do to an error of the start.
func (o *ownService) cure(err error) error {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || strings.Contains(err.Error(), "disk is full") // SQLite's words
	switch {
	case full:
		return fmt.Errorf("the disk of %s is full: make room, or name another folder by XDG_STATE_HOME", o.folder)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: name another folder by XDG_STATE_HOME", err)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%w (without the files in %s, the command begins from zero)", err, o.folder)
}
