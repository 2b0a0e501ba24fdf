package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	uploadsAtOnce = 2
	lookEvery     = time.Second // at the items of a batch
)

// many does several things at once, and what only a batch can.
type many struct {
	cmd     *command
	client  *client.Client
	display *progress.Display
	stdout  io.Writer
	folder  bool

	mu     sync.Mutex
	failed []string
}

// many transcribes all of an order. The error is why nothing was begun.
func (cmd *command) many(ctx context.Context, c *client.Client, o order, folder bool, stdout, stderr io.Writer) (failed []string, err error) {
	texts := map[string]string{}
	for _, name := range o.files {
		if other, taken := texts[nameOf(name)]; taken {
			return nil, fmt.Errorf("the texts of %s and %s would have the same name: transcribe them apart", other, name)
		}
		texts[nameOf(name)] = name
	}
	if len(o.batches) > 0 {
		usage, err := c.Usage.Get(ctx)
		if err != nil {
			return nil, err
		}
		if !usage.Limits.BatchExport {
			return nil, errors.New("the plan of this account exports no batches: transcribe links one by one")
		}
	}
	m := &many{cmd: cmd, client: c, display: progress.New(stderr), stdout: stdout, folder: folder}
	var uploads, batches errgroup.Group
	uploads.SetLimit(uploadsAtOnce)
	for _, p := range o.batches {
		batches.Go(func() error { m.batch(ctx, p); return nil })
	}
	for _, name := range o.files {
		uploads.Go(func() error { m.upload(ctx, name); return nil })
	}
	_, _ = uploads.Wait(), batches.Wait() // what fails is in m.failed
	m.display.Done()
	return m.failed, nil
}

func (m *many) fail(name string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = append(m.failed, name+": "+err.Error())
}

// batch makes a batch, shows its items, and exports it.
func (m *many) batch(ctx context.Context, p client.BatchParams) {
	name := p.Playlist + p.Channel
	if name == "" {
		name = fmt.Sprintf("%d links", len(p.URLs))
		if len(p.URLs) == 1 {
			name = p.URLs[0]
		}
	}
	made, err := m.client.Batches.Create(ctx, p)
	if err != nil {
		m.fail(name, err)
		return
	}
	ended, err := m.watch(ctx, name, made.ID)
	if ctx.Err() != nil {
		m.display.Say(m.cancelBatch(ctx, made.ID))
		return
	}
	var failed *client.BatchError
	if errors.As(err, &failed) {
		ended = &failed.Batch
		if why := failed.Unwrap(); why != nil {
			m.fail(name, why)
		}
	} else if err != nil {
		m.fail(name, err)
		return
	}
	for item, err := range m.client.Batches.AllItems(ctx, made.ID) {
		switch {
		case err != nil:
			m.fail(name, err)
		case item.Status == batch.ItemFailed && item.Error != nil:
			m.fail(labelOf(item), errors.New(string(*item.Error)+": "+item.ErrorMessage))
		}
	}
	if ended.Counts.Success > 0 {
		if err := m.export(ctx, made.ID); err != nil {
			m.fail(name, err)
		}
	}
}

// watch shows the items that run until the batch has ended.
func (m *many) watch(ctx context.Context, name, id string) (ended *batch.Job, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended, err = m.client.Batches.Wait(ctx, id)
	}()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	shown := map[string]*progress.Line{}
	whole := m.display.Line(name)
	defer whole.Done()
	for {
		select {
		case <-done:
			for _, line := range shown {
				line.Done()
			}
			return ended, err
		case <-look.C:
			m.show(ctx, id, whole, shown)
		}
	}
}

func (m *many) show(ctx context.Context, id string, whole *progress.Line, shown map[string]*progress.Line) {
	all, done, failed := 0, 0, 0
	for item, err := range m.client.Batches.AllItems(ctx, id) {
		if err != nil {
			return // the wait says what is wrong, or does without the display
		}
		all++
		if item.Status.Terminal() {
			done++
		}
		if item.Status == batch.ItemFailed {
			failed++
		}
		label := labelOf(item)
		switch running := item.Status == batch.ItemProcessing; {
		case running && shown[label] == nil:
			shown[label] = m.display.Line(label)
			shown[label].State("running")
		case !running && shown[label] != nil:
			shown[label].Done()
			delete(shown, label)
		}
	}
	whole.State(fmt.Sprintf("%d of %d done, %d failed", done, all, failed))
}

// labelOf is what people know an item by.
func labelOf(item batch.Item) string {
	if item.SourceURL != nil {
		return *item.SourceURL
	}
	return item.ExternalID
}

func (m *many) cancelBatch(ctx context.Context, id string) string {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	switch _, err := m.client.Batches.Cancel(ctx, id); {
	case err == nil:
		return fmt.Sprintf("The batch %s was cancelled.", id)
	case errors.Is(err, transcript.StateConflict):
		return fmt.Sprintf("The batch %s had ended already.", id)
	default:
		return fmt.Sprintf("The batch %s goes on: it could not be cancelled: %v", id, err)
	}
}

// export writes the texts of a batch to where they belong.
func (m *many) export(ctx context.Context, id string) error {
	file, err := m.client.Batches.Export(ctx, id, client.ExportParams{Format: batch.ExportFormat(m.cmd.Format)})
	if err != nil {
		return err
	}
	if m.folder {
		path, err := file.Save(m.cmd.Out)
		if err == nil {
			m.display.Say("Wrote " + path)
		}
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if m.cmd.Out == "" {
		m.display.Done()
		_, err = io.Copy(m.stdout, file)
		return err
	}
	out, err := os.Create(m.cmd.Out)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, file)
	return errors.Join(err, out.Close())
}

// upload transcribes one recording.
func (m *many) upload(ctx context.Context, name string) {
	if ctx.Err() != nil {
		return
	}
	line := m.display.Line(name)
	defer line.Done()
	result, err := resultOf(ctx, m.client, transcript.File(name), m.cmd.Language, line)
	if said := cancelled(ctx, m.client, err); said != "" {
		m.display.Say(said)
	}
	if ctx.Err() != nil {
		return
	}
	text, err := m.cmd.render(result, err)
	if err == nil && m.folder {
		path := filepath.Join(m.cmd.Out, nameOf(name)+"."+m.cmd.Format)
		if err = os.WriteFile(path, text, 0o666); err == nil { //nolint:gosec // a text like any other, for the umask to judge
			m.display.Say("Wrote " + path)
		}
	}
	if err != nil {
		m.fail(name, err)
	}
}

// nameOf is the name of the file for the text of a recording or link, without extension.
func nameOf(source string) string {
	if kindOf(source) == isFile {
		return strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
			return r
		}
		return '-'
	}, source), "-")
}
