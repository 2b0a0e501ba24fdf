package ask

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Info returns a description of a content, and its languages. It starts no job. It asks
// the platform unless the last answer is fresh. If the platform gives no answer, Info
// returns the known facts, or the error if nothing is known.
func (s *Service) Info(ctx context.Context, q Question) (*transcript.Info, error) {
	looked := time.Now()
	sub := subject.Subject{Content: q.Content} // without a language, because the question is about tracks, not about a text
	var shelf *db.Shelf
	var before *db.Content // the platform's last answer; nil if there is none
	err := s.store.Snapshot(ctx, func(ctx context.Context, r db.Reader) (err error) {
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
	known, err := s.latest(ctx, sub, before, looked, subject.Within(q.Plan.CacheTTL))
	switch {
	case err != nil && (refusal(err) == nil || known == nil && len(shelf.Texts) == 0):
		return nil, err
	case err != nil:
		s.log.WarnContext(ctx, "a platform could not be asked", "platform", sub.Platform, "content", clip.Text(sub.ExternalID), "err", err)
		s.metrics.ServedStale(metrics.ForInfo)
		i.TrackMetadataStatus, i.MetadataStatus = transcript.TracksFailed, transcript.MetadataUnavailable
	case !language.HasCaptions(sub.Platform): // the answer is known without the platform
		i.TrackMetadataStatus, i.CaptionAvailable = transcript.TracksSkipped, new(false)
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
	if i.ASR.Reason, err = s.whyNoASR(ctx, q, known.Metadata); err != nil {
		return nil, err
	}
	i.ASR.Available = i.ASR.Reason == nil
	return i, nil
}

// latest returns the platform's last answer for the content, or nil if there is none. The
// platform is asked unless the answer in before is fresh. If the platform gives no
// answer, latest returns before and the error. looked has the same meaning as for lookup.
func (s *Service) latest(ctx context.Context, sub subject.Subject, before *db.Content, looked time.Time, counts subject.Fresh) (*db.Content, error) {
	if !language.HasCaptions(sub.Platform) {
		return before, nil
	}
	hit := before != nil && counts(before.AskedAt)
	s.metrics.CacheAsked(metrics.ForInfo, hit)
	if hit {
		return before, nil
	}
	found, err := s.lookup(ctx, sub, looked)
	if err != nil {
		return before, err
	}
	return &db.Content{Metadata: found.Metadata, Tracks: found.Tracks}, nil
}

// setTracks writes the tracks of a platform into i.
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

// cachedLanguages are the distinct language tags of the stored texts, sorted.
func cachedLanguages(shelf *db.Shelf) []string {
	tags := []string{}
	for _, t := range shelf.Texts {
		tags = append(tags, t.Lang)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// whyNoASR returns why the content cannot be recognized for the account, by the length
// that the platform gives, or nil if it can be recognized. It returns the first reason
// that applies: the plan has no recognition, the service has none, the content is too
// long for the service, too long for the plan, or too long for the account's remaining
// minutes.
func (s *Service) whyNoASR(ctx context.Context, q Question, m transcript.Metadata) (*transcript.Code, error) {
	plan, sound, team := limits.Of(q.Plan, time.Now()), limits.Claimed(m.Duration), s.cluster.Team(ctx)
	switch {
	case !plan.ASR:
		return new(transcript.UpgradeRequired), nil
	case !team.Downloads(), team.CanTranscribe(nil) != nil:
		return new(transcript.NotImplemented), nil
	case sound.Least > s.cfg.MaxMediaDuration:
		return new(transcript.MediaTooLarge), nil
	case limits.TooLong(plan, sound) != nil:
		return new(transcript.VideoTooLong), nil
	}
	err := limits.HasMinutes(ctx, s.store.Reader, q.Account, plan, sound)
	if errors.Is(err, transcript.ASRQuotaExceeded) {
		return new(transcript.ASRQuotaExceeded), nil
	}
	return nil, err
}
