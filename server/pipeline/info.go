package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Info says what a content is and in which languages it can be had (contract
// 5.1). It never starts a job. The platform is asked, for at most 10 s, unless
// its last answer is still fresh; where it cannot be asked, what is known is
// returned, and the error when nothing is.
func (p *Pipeline) Info(ctx context.Context, q Question) (*transcript.Info, error) {
	sub := subject{Content: q.Content} // no language: the tracks are asked for, not a text
	shelf, err := sub.shelf(ctx, p.store, q.Account, within(q.Plan.CacheTTL))
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
	}
	known, err := p.knowledge(ctx, sub, q, i)
	if err != nil {
		return nil, err
	}
	describeInfo(i, known)
	i.Languages = languagesOf(i.Tracks)
	i.ASR.Reason = p.whyNoASR(q, known)
	i.ASR.Available = i.ASR.Reason == nil
	return i, nil
}

// knowledge fills in what is known of the tracks, and returns what is known of
// the content itself.
func (p *Pipeline) knowledge(ctx context.Context, sub subject, q Question, i *transcript.Info) (transcript.Metadata, error) {
	stored, err := p.store.Content(ctx, sub.Platform, sub.ExternalID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return transcript.Metadata{}, err
	}
	known := err == nil
	i.MetadataStatus = transcript.MetadataPending
	if known {
		i.MetadataStatus = stored.Metadata.Status()
	} else {
		stored = &store.Content{}
	}
	if !sub.Platform.HasCaptions() { // nobody needs to be asked
		i.TrackMetadataStatus, i.CaptionAvailable = transcript.TracksSkipped, no()
		return stored.Metadata, nil
	}
	if !known || !within(q.Plan.CacheTTL)(stored.AskedAt) {
		answer, err := p.lookup(ctx, sub)
		if err == nil {
			tell(i, answer.Tracks)
			i.MetadataStatus = answer.Metadata.Status()
			return answer.Metadata, nil
		}
		if errors.Is(err, transcript.Unavailable) || !known && len(i.CachedLanguages) == 0 {
			return transcript.Metadata{}, err
		}
		i.TrackMetadataStatus = transcript.TracksFailed
		if !known {
			i.MetadataStatus = transcript.MetadataUnavailable
		}
		return stored.Metadata, nil
	}
	tell(i, stored.Tracks)
	return stored.Metadata, nil
}

// tell puts what a platform has said about its tracks into i.
func tell(i *transcript.Info, tracks []transcript.Track) {
	if len(tracks) == 0 {
		i.TrackMetadataStatus, i.CaptionAvailable = transcript.TracksEmpty, no()
		return
	}
	i.TrackMetadataStatus, i.CaptionAvailable, i.Tracks = transcript.TracksOK, yes(), tracks
}

func describeInfo(i *transcript.Info, m transcript.Metadata) {
	var t store.Transcript
	describe(&t, m)
	i.Title, i.Channel, i.CreatorName, i.CreatorHandle, i.CreatorURL = t.Title, t.Channel, t.CreatorName, t.CreatorHandle, t.CreatorURL
	i.ThumbnailURL, i.DurationSec, i.PublishedAt = t.ThumbnailURL, t.DurationSec, t.PublishedAt
}

// cachedLanguages are the distinct tags of the texts that are there, sorted.
func cachedLanguages(shelf *store.Shelf) []string {
	tags := []string{}
	for _, t := range shelf.Texts {
		tags = append(tags, t.Lang)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// whyNoASR is why the content cannot be recognised for the account; nil: it can.
func (p *Pipeline) whyNoASR(q Question, m transcript.Metadata) *transcript.Code {
	switch {
	case !q.Plan.ASR:
		return new(transcript.UpgradeRequired)
	case p.engine.Recognizer == nil, p.engine.Audio == nil:
		return new(transcript.NotImplemented)
	case m.Duration > p.cfg.MaxMediaDuration.Seconds():
		return new(transcript.MediaTooLarge)
	}
	return nil
}
