package server

import (
	"reflect"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// enums lists the values of each string type of the API, in the order in which
// the document shows them.
func enums() map[reflect.Type][]any {
	all := make(map[reflect.Type][]any)
	addEnum(all, transcript.Codes()...)
	addEnum(all, transcript.Platforms()...)
	addEnum(all, transcript.JSON, transcript.Text)
	addEnum(all, transcript.JobPending, transcript.JobProcessing, transcript.JobSuccess, transcript.JobFailed, transcript.JobCancelled)
	addEnum(all, transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck, transcript.StageASRQueued,
		transcript.StageASRRunning, transcript.StagePublishing, transcript.StageDone)
	addEnum(all, transcript.Pending, transcript.Ready, transcript.Failed)
	addEnum(all, transcript.MetadataComplete, transcript.MetadataPartial, transcript.MetadataPending, transcript.MetadataUnavailable)
	addEnum(all, transcript.OriginCaptionAPI, transcript.OriginDownloader, transcript.OriginASR,
		transcript.OriginProfessionalCaptions, transcript.OriginShortVideoSiteCaptions, transcript.OriginManual)
	addEnum(all, transcript.TrackManual, transcript.TrackAuto, transcript.TrackForced)
	addEnum(all, batch.Links, batch.Playlist, batch.Channel)
	addEnum(all, batchStatuses()...)
	addEnum(all, batch.ItemPending, batch.ItemProcessing, batch.ItemSuccess, batch.ItemFailed, batch.ItemSkipped)
	addEnum(all, transcript.TracksOK, transcript.TracksEmpty, transcript.TracksFailed, transcript.TracksSkipped)
	addEnum(all, video.Types()...)
	addEnum(all, library.KindTranscript, library.KindPending, library.KindFailed, library.KindBatch)
	return all
}

func addEnum[T ~string](all map[reflect.Type][]any, values ...T) {
	for _, v := range values {
		all[reflect.TypeFor[T]()] = append(all[reflect.TypeFor[T]()], v)
	}
}
