package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/scratch"
)

// Sources say where a pull gets its files. The zero value means the addresses in the
// table.
type Sources struct {
	// Mirror is the URL of a folder that has the files under their own names. Only a mirror may
	// use http: the hashes protect the content, but others can see what is pulled.
	Mirror string
	// Files are local files to use instead of downloads, on a machine without internet. They
	// are matched by size and checked against the same hashes.
	Files []string
}

// Plan is the work of a pull.
type Plan struct {
	// Downloads are in order. It is empty if everything is already installed.
	Downloads []Download
	// Reason says why the plan includes an engine that the caller did not request.
	Reason string
	// Left is how many bytes are missing, and Free how many bytes are free on the disk.
	Left, Free int64
}

// Download is one file of a plan.
type Download struct {
	Entry
	// From is a URL, without its password, or a path.
	From string
	// Left is how many bytes are missing.
	Left int64

	url  *url.URL // nil means that From is a file
	path string
}

// Plan returns the downloads that pulling a model or an engine needs. If the program of
// a model does not work yet, the plan includes the engine. Plan downloads and writes
// nothing.
//
// The error is [ErrUnknown] if the table has no such name. Plan also returns an error
// if from cannot be used, if the disk has too little space, or if no available program
// can run the model; that error says what to do.
func (f *Folder) Plan(ctx context.Context, name string, from Sources) (Plan, error) {
	e, err := f.entry(name)
	if err != nil {
		return Plan{}, err
	}
	var plan Plan
	wanted := []Entry{e}
	if e.Kind == KindModel {
		engine, reason, err := f.needsEngine(ctx, e.program())
		if err != nil {
			return Plan{}, err
		}
		if engine.Name != "" {
			plan.Reason = reason
			wanted = []Entry{engine, e}
		}
	}
	files := slices.Clone(from.Files)
	for _, e := range wanted {
		item, err := f.look(e)
		if err != nil {
			return Plan{}, err
		}
		if item.State == StateInstalled {
			continue
		}
		d := Download{Entry: e, Left: e.Bytes}
		if item.State == StatePartial {
			d.Left = max(0, e.Bytes-item.Have)
		}
		if files, err = d.source(from.Mirror, files); err != nil {
			return Plan{}, err
		}
		plan.Downloads = append(plan.Downloads, d)
		plan.Left += d.Left
	}
	if len(files) > 0 && len(plan.Downloads) > 0 {
		return Plan{}, fmt.Errorf("models: the file %s has a different size than the files to pull: %s: name one of these files", files[0], plan.wants())
	}
	return plan, f.checkRoom(&plan)
}

// needsEngine returns the engine that has to be pulled, and why. It returns the zero value if
// the program already works.
func (f *Folder) needsEngine(ctx context.Context, program string) (Entry, string, error) {
	_, _, err := f.usableProgram(ctx, program)
	if err == nil {
		return Entry{}, "", nil
	}
	if ctx.Err() != nil {
		return Entry{}, "", context.Cause(ctx)
	}
	e, known := f.engine()
	switch {
	case f.program != "":
		return Entry{}, "", fmt.Errorf("models: %w", err)
	case !known:
		return Entry{}, "", fmt.Errorf("models: no %s is published for this system: install the package whisper.cpp, or build it: %w", program, err)
	}
	item, lookErr := f.look(e)
	if lookErr != nil {
		return Entry{}, "", lookErr
	}
	if item.State == StateInstalled { // it is installed but does not run, so pulling it again would not help
		return Entry{}, "", fmt.Errorf("models: the engine that was pulled: %w", err)
	}
	return e, err.Error(), nil
}

// source decides where a file comes from, and returns the unused files.
func (d *Download) source(mirror string, files []string) (left []string, err error) {
	for i, path := range files {
		st, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("models: %w", err)
		}
		if st.Mode().IsRegular() && st.Size() == d.Bytes {
			d.From, d.path, d.Left = path, path, d.Bytes
			return slices.Delete(files, i, i+1), nil
		}
	}
	if d.url, err = url.Parse(d.URL); err != nil {
		return nil, fmt.Errorf("models: %s: %w", d.Name, err)
	}
	if mirror != "" {
		if d.url, err = ParseMirror(mirror); err != nil {
			return nil, err
		}
		d.url = d.url.JoinPath(d.File())
	}
	d.From = d.url.Redacted()
	return files, nil
}

// ParseMirror parses the URL of a mirror: https or http, without a query. The error
// does not contain the URL, which may have a password.
func ParseMirror(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("models: want the mirror as https://HOST/FOLDER or http://HOST/FOLDER")
	}
	return u, nil
}

// wants lists the files of the plan, for messages.
func (p Plan) wants() string {
	text := ""
	for i, d := range p.Downloads {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s of %d bytes", d.File(), d.Bytes)
	}
	return text
}

// checkRoom refuses a plan that does not fit on the disk, and records the free space.
func (f *Folder) checkRoom(plan *Plan) (err error) {
	there := f.dir
	for { // the folder may not exist yet
		if _, err := os.Stat(there); !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	if plan.Free, err = scratch.Free(there); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	needs := plan.Left
	for _, d := range plan.Downloads {
		if d.Kind == KindEngine {
			needs += mostUnpacked(d.Entry)
		}
	}
	if needs > plan.Free {
		return fmt.Errorf("models: the disk of %s is too full: the pull needs %d bytes, and %d are free: free space, or use another folder", f.dir, needs, plan.Free)
	}
	return nil
}
