package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Info describes a content and lists the languages of its transcripts. Info never
// starts a job. It asks the platform, for at most 10 s, unless the last answer is
// fresh. If the platform cannot be asked, Info returns the known facts, or the error if
// none is known.
func (p *Pipeline) Info(ctx context.Context, q Question) (*transcript.Info, error) {
	begun := time.Now()
	sub := subject.Subject{Content: q.Content} // no language: the tracks are asked for, not a text
	var shelf *db.Shelf
	var before *db.Content // what the platform has said before; nil: it is not known
	err := p.store.Snapshot(ctx, func(ctx context.Context, r db.Reader) (err error) {
		if shelf, err = sub.Shelf(ctx, r, q.Account, subject.Within(q.Plan.CacheTTL)); err != nil {
			return err
		}
		before, err = r.Contents.Get(ctx, sub.Platform, sub.ExternalID)
		if errors.Is(err, db.ErrNotFound) {
			before, err = nil, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	i := &transcript.Info{
		Status:          "success",
		Platform:        sub.Platform,
		ExternalID:      sub.ExternalID,
		SourceURL:       &sub.URL,
		Tracks:          []transcript.Track{},
		CachedLanguages: cachedLanguages(shelf),
		MetadataStatus:  transcript.MetadataPending,
	}
	known, err := p.latest(ctx, sub, before, begun, subject.Within(q.Plan.CacheTTL))
	switch {
	case err != nil && (refusal(err) == nil || known == nil && len(shelf.Texts) == 0):
		return nil, err
	case err != nil:
		p.log.WarnContext(ctx, "a platform could not be asked", "platform", sub.Platform, "content", clip.Text(sub.ExternalID), "err", err)
		p.metrics.ServedStale(metrics.ForInfo)
		i.TrackMetadataStatus, i.MetadataStatus = transcript.TracksFailed, transcript.MetadataUnavailable
	case !sub.Platform.HasCaptions(): // there are never captions to ask for
		i.TrackMetadataStatus, i.CaptionAvailable = transcript.TracksSkipped, no()
	default:
		setTracks(i, known.Tracks)
	}
	if known == nil {
		known = &db.Content{}
	} else {
		i.MetadataStatus = known.Metadata.Status()
	}
	describeInfo(i, known.Metadata)
	i.Languages = subject.LanguagesOf(i.Tracks)
	if i.ASR.Reason, err = p.whyNoASR(ctx, q, known.Metadata); err != nil {
		return nil, err
	}
	i.ASR.Available = i.ASR.Reason == nil
	return i, nil
}

// latest returns the platform's latest answer about the content, or nil if there is
// none. It asks the platform unless before, the last answer, still counts. If the
// platform cannot be asked, latest returns the reason next to the last answer. begun is
// as in lookup.
func (p *Pipeline) latest(ctx context.Context, sub subject.Subject, before *db.Content, begun time.Time, counts subject.Fresh) (*db.Content, error) {
	if !sub.Platform.HasCaptions() {
		return before, nil
	}
	hit := before != nil && counts(before.AskedAt)
	p.metrics.CacheAsked(metrics.ForInfo, hit)
	if hit {
		return before, nil
	}
	found, err := p.lookup(ctx, sub, begun)
	if err != nil {
		return before, err
	}
	return &db.Content{Metadata: found.Metadata, Tracks: found.Tracks}, nil
}

// setTracks puts what a platform has said about its tracks into i.
func setTracks(i *transcript.Info, tracks []transcript.Track) {
	i.TrackMetadataStatus, i.CaptionAvailable = transcript.TracksEmpty, subject.AnyCaptions(tracks)
	if len(tracks) > 0 {
		i.TrackMetadataStatus, i.Tracks = transcript.TracksOK, tracks
	}
}

func describeInfo(i *transcript.Info, m transcript.Metadata) {
	var t db.Transcript
	view.Describe(&t, m)
	i.Title, i.Channel, i.CreatorName, i.CreatorHandle, i.CreatorURL = t.Title, t.Channel, t.CreatorName, t.CreatorHandle, t.CreatorURL
	i.ThumbnailURL, i.DurationSec, i.PublishedAt = t.ThumbnailURL, t.DurationSec, t.PublishedAt
}

// cachedLanguages are the distinct tags of the texts that are there, sorted.
func cachedLanguages(shelf *db.Shelf) []string {
	tags := []string{}
	for _, t := range shelf.Texts {
		tags = append(tags, t.Lang)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// whyNoASR returns why the content cannot be recognized for the account, by the length
// that the platform says; nil means that it can. Of several reasons it returns the
// first of these: the plan does not include recognition, this service cannot recognize,
// the content is too long for the service, for the plan, or for the account's remaining
// minutes.
func (p *Pipeline) whyNoASR(ctx context.Context, q Question, m transcript.Metadata) (*transcript.Code, error) {
	plan, sound, team := limits.Of(q.Plan, time.Now()), limits.Claimed(m.Duration), p.cluster.Team(ctx)
	switch {
	case !plan.ASR:
		return new(transcript.UpgradeRequired), nil
	case !team.Downloads(), team.CanTranscribe(nil) != nil:
		return new(transcript.NotImplemented), nil
	case sound.Least > p.cfg.MaxMediaDuration:
		return new(transcript.MediaTooLarge), nil
	case limits.TooLong(plan, sound) != nil:
		return new(transcript.VideoTooLong), nil
	}
	err := limits.HasMinutes(ctx, p.store.Reader, q.Account, plan, sound)
	if errors.Is(err, transcript.ASRQuotaExceeded) {
		return new(transcript.ASRQuotaExceeded), nil
	}
	return nil, err
}
