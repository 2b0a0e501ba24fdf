package ytdlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// proveAbsence asks the player of the site's own pages about the videos that were described
// without any tracks, all in one run. If that proves nothing, it is not decided whether the
// video has captions.
func (d *Downloader) proveAbsence(ctx context.Context, contents []engine.Content, found []video.Video) error {
	var silent []engine.Content
	for _, c := range contents {
		if i := indexOf(found, c.ExternalID); i >= 0 && found[i].TrackMetadataStatus == transcript.TracksEmpty {
			silent = append(silent, c)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp(d.program.host.Dir, "pages-")
	if err != nil {
		return fmt.Errorf("ytdlp: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // as in read
	seen, err := d.program.describeAgain(ctx, silent, dir)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	pages, failed := readPages(dir)
	if failed != nil {
		return failed
	}
	distrust := d.distrust(ctx)
	for _, c := range silent {
		v, m := &found[indexOf(found, c.ExternalID)], seen[c.ExternalID]
		switch {
		case err == nil && m != nil && m.proven(pages.answers, distrust):
			captioned(v, m.tracks())
		default:
			v.TrackMetadataStatus, v.CaptionAvailable = transcript.TracksFailed, nil
		}
	}
	return nil
}

func indexOf(found []video.Video, id string) int {
	return slices.IndexFunc(found, func(v video.Video) bool { return v.VideoID == id })
}

// describeAgain returns the answers of the player of the site's own pages about contents, by
// their ids.
func (p *program) describeAgain(ctx context.Context, contents []engine.Content, dir string) (map[string]*media, error) {
	args := append(slices.Clone(pagePlayer), "--ignore-errors", "--write-subs", "-J", "--")
	for _, c := range contents {
		args = append(args, c.URL)
	}
	said := &bounded{max: 2 * maxInfo}
	exit, err := p.run(ctx, run{
		content:   contents[0],
		args:      args,
		talks:     true,
		noScripts: true,
		command:   engine.Command{Dir: dir, Stdout: said},
		videos:    len(contents),
	})
	seen := make(map[string]*media)
	for line := range bytes.Lines(said.data) {
		m := new(media)
		if json.Unmarshal(line, m) == nil && m.ID != "" {
			m.exit, m.content.ExternalID = exit, string(m.ID)
			seen[string(m.ID)] = m
		}
	}
	return seen, err
}

// proven reports whether the second description of a content lists all its tracks. The
// complaints concern all contents of the run, so only the answers count.
func (m *media) proven(answers []*player.Answer, distrust error) bool {
	if len(m.tracks()) > 0 {
		return true
	}
	id := string(m.ID)
	ofThis := slices.DeleteFunc(slices.Clone(answers), func(a *player.Answer) bool { return a.Details.VideoID != id })
	m.exit.Stderr = nil
	return proofByPage.Prove(evidence{media: m, answers: ofThis, distrust: distrust}) == nil
}
