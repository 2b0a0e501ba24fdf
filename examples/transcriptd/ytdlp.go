package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp/release"
)

type ytDlpCommand struct {
	Pull ytDlpPull `cmd:"" help:"Download the official executable of yt-dlp, which needs no Python. Shows the file and its source, and asks first."`
}

type ytDlpPull struct {
	Newest bool     `verb:"" help:"The newest release, by the sums that the publisher has signed. Default: release ${ytdlprelease}, whose hash is compiled in."`
	Folder string   `verb:"" default:"${ytdlpfolder}" placeholder:"DIR" help:"Where the executable goes (${ytdlpfolder}). From another folder it is used only if --yt-dlp names it."`
	Yes    bool     `verb:"" short:"y" help:"Do not ask."`
	Mirror mirror   `placeholder:"URL" help:"The URL of a folder that has the files under their own names. It may be http, because hashes and the signature protect the files. Default: the publisher's address."`
	File   []string `verb:"" placeholder:"PATH" help:"A local file, on a machine without internet. It must have the same hash. May be repeated: with --newest also for SHA2-256SUMS and SHA2-256SUMS.sig."`

	published release.Options // in place of the compiled-in release and its publisher
}

// Run downloads a missing release.
func (c *ytDlpPull) Run(ctx context.Context, out output) error {
	if c.Folder == "" {
		return &service.FlagError{Flag: "--folder", Err: errors.New("this user has no home: name a folder")}
	}
	options := c.published
	options.Dir, options.HTTP = c.Folder, &http.Client{Transport: withProxies()}
	folder, err := release.Open(options)
	if err != nil {
		return err
	}
	planned := folder.Plan
	if c.Newest {
		planned = folder.PlanNewest
	}
	plan, err := planned(ctx, models.Sources{Mirror: string(c.Mirror), Files: c.File})
	if err != nil {
		return withCure(err)
	}
	if plan.There != "" {
		fmt.Fprintf(out.Stderr, "yt-dlp %s is there already: %s\n", plan.There, folder.Program())
		return nil
	}
	tellPlan(out.Stderr, folder, plan)
	if err := askToGoOn(ctx, out.Stderr, c.Yes); err != nil {
		return err
	}
	version, err := c.pull(ctx, out.Stderr, folder, plan)
	if err != nil {
		return withCure(err)
	}
	fmt.Fprintf(out.Stderr, "yt-dlp %s is installed: %s\n", version, folder.Program())
	c.tellUse(out.Stderr, folder)
	return nil
}

// tellPlan prints what a pull downloads, and what vouches for the file.
func tellPlan(w io.Writer, folder *release.Folder, plan release.Plan) {
	which := "release " + plan.Version + ", by its compiled-in hash"
	if plan.Version == "" {
		which = "the newest release, by the publisher's signature"
	}
	for _, d := range plan.Downloads {
		fmt.Fprintf(w, "yt-dlp, %s: %s to come, license %s, from %s\n", which, megabytes(d.Left), d.License, d.From)
	}
	fmt.Fprintf(w, "It goes into %s, which has %s free.\n", folder.Dir(), megabytes(plan.Free))
}

// pull downloads with a progress line.
func (c *ytDlpPull) pull(ctx context.Context, w io.Writer, folder *release.Folder, plan release.Plan) (string, error) {
	display := progress.New(w)
	defer display.Done()
	line := display.Line("yt-dlp")
	return folder.Pull(ctx, plan, func(_ models.Entry, done, total int64) { line.Bytes("fetching", done, total) })
}

// tellUse prints whether the programs use the executable by themselves.
func (c *ytDlpPull) tellUse(w io.Writer, folder *release.Folder) {
	if used := service.YtDlp(); used != folder.Program() {
		fmt.Fprintf(w, "Without --yt-dlp %s, the programs use %s (%s).\n", folder.Program(), used, service.YtDlpOrigin(used))
		return
	}
	fmt.Fprintln(w, "Serve uses it from its next start. \"transcriptd doctor\" tells whether it needs a JavaScript runtime.")
}
