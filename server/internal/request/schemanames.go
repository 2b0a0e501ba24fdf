package request

import (
	"reflect"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// schemaNames has facts about public Go types that the API's document needs and that reflection cannot
// find. It has the types whose schema does not have their Go name. Two packages may have types of
// one name. The document has all schemas in one list.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[transcript.Code]():        "ErrorCode",
	reflect.TypeFor[transcript.Error]():       "ErrorBody",
	reflect.TypeFor[transcript.Info]():        "TranscriptInfo",
	reflect.TypeFor[transcript.Status]():      "TranscriptStatus",
	reflect.TypeFor[wire.Progress]():          "ProgressData",
	reflect.TypeFor[follow.Follow]():          "Follow",
	reflect.TypeFor[follow.Item]():            "FollowItem",
	reflect.TypeFor[follow.ItemStatus]():      "FollowItemStatus",
	reflect.TypeFor[follow.Kind]():            "FollowKind",
	reflect.TypeFor[follow.Row]():             "FollowRow",
	reflect.TypeFor[follow.Status]():          "FollowStatus",
	reflect.TypeFor[batch.Status]():           "BatchStatus",
	reflect.TypeFor[library.ChunkPage]():      "ChunkPage",
	reflect.TypeFor[library.Feed]():           "Feed",
	reflect.TypeFor[library.FeedState]():      "FeedState",
	reflect.TypeFor[library.Found]():          "SearchResult",
	reflect.TypeFor[library.Hit]():            "SearchHit",
	reflect.TypeFor[library.Match]():          "SearchMatch",
	reflect.TypeFor[library.NewFeed]():        "NewFeed",
	reflect.TypeFor[library.Revision]():       "Revision",
	reflect.TypeFor[library.RevisionKind]():   "RevisionKind",
	reflect.TypeFor[library.Saved]():          "SavedTranscript",
	reflect.TypeFor[format.Podcast]():         "Podcast",
	reflect.TypeFor[format.PodcastSegment]():  "PodcastSegment",
	reflect.TypeFor[library.Share]():          "Share",
	reflect.TypeFor[library.SharedMetadata](): "SharedMetadata",
	reflect.TypeFor[library.SharedText]():     "SharedText",
	reflect.TypeFor[video.Channel]():          "Channel",
	reflect.TypeFor[video.ChannelFound]():     "ChannelResult",
	reflect.TypeFor[video.Found]():            "VideoSearchResult",
	reflect.TypeFor[video.Item]():             "PlaylistItem",
	reflect.TypeFor[video.Items]():            "PlaylistItems",
	reflect.TypeFor[video.Kind]():             "UploadKind",
	reflect.TypeFor[video.Order]():            "VideoSearchOrder",
	reflect.TypeFor[video.Playlist]():         "PlaylistSummary",
	reflect.TypeFor[video.Result]():           "VideoSearchItem",
	reflect.TypeFor[video.Summary]():          "VideoSummary",
	reflect.TypeFor[video.Type]():             "VideoSearchType",
	reflect.TypeFor[video.Uploads]():          "ChannelUploads",
	reflect.TypeFor[video.Video]():            "Video",
	reflect.TypeFor[video.Videos]():           "VideoList",
	reflect.TypeFor[webhook.Delivery]():       "Delivery",
	reflect.TypeFor[webhook.DeliveryStatus](): "DeliveryStatus",
	reflect.TypeFor[webhook.Endpoint]():       "Webhook",
	reflect.TypeFor[webhook.EventType]():      "WebhookEvent",
	reflect.TypeFor[webhook.Resent]():         "ResentDeliveries",
	reflect.TypeFor[webhook.Status]():         "WebhookStatus",
}

// SchemaName returns the name of a type's schema, if the table schemaNames it.
func SchemaName(t reflect.Type) (name string, ok bool) {
	name, ok = schemaNames[t]
	return name, ok
}

// enumValues has the values of the string types in answers, in the order of the document. The
// enumValues of requests alone are in the tables of the requests.
var enumValues = map[reflect.Type][]any{
	reflect.TypeFor[transcript.Platform](): enumOf(transcript.Platforms()...),
	reflect.TypeFor[transcript.Origin](): enumOf(
		transcript.OriginCaptionAPI, transcript.OriginDownloader, transcript.OriginASR,
		transcript.OriginProfessionalCaptions, transcript.OriginShortVideoSiteCaptions, transcript.OriginManual, transcript.OriginPublisher),
	reflect.TypeFor[transcript.Status](): enumOf(transcript.Pending, transcript.Ready, transcript.Failed),
	reflect.TypeFor[transcript.MetadataStatus](): enumOf(
		transcript.MetadataComplete, transcript.MetadataPartial, transcript.MetadataPending, transcript.MetadataUnavailable),
	reflect.TypeFor[transcript.TrackKind]():   enumOf(transcript.TrackManual, transcript.TrackAuto, transcript.TrackForced),
	reflect.TypeFor[transcript.TrackStatus](): enumOf(transcript.TracksOK, transcript.TracksEmpty, transcript.TracksFailed, transcript.TracksSkipped),
	reflect.TypeFor[transcript.JobStatus](): enumOf(
		transcript.JobPending, transcript.JobProcessing, transcript.JobSuccess, transcript.JobFailed, transcript.JobCancelled),
	reflect.TypeFor[transcript.Stage](): enumOf(
		transcript.StageQueued, transcript.StageCaptionFetch, transcript.StageDurationCheck,
		transcript.StageASRQueued, transcript.StageASRRunning, transcript.StagePublishing, transcript.StageDone),
	reflect.TypeFor[transcript.Code]():      enumOf(transcript.Codes()...),
	reflect.TypeFor[transcript.Format]():    enumOf(transcript.JSON, transcript.Text),
	reflect.TypeFor[video.Type]():           enumOf(video.Types()...),
	reflect.TypeFor[library.RevisionKind](): enumOf(library.RevisionOriginal, library.RevisionEdit, library.RevisionImport, library.RevisionRestore),
	reflect.TypeFor[library.Kind]():         enumOf(library.KindTranscript, library.KindPending, library.KindFailed, library.KindBatch),
	reflect.TypeFor[batch.Mode]():           enumOf(batch.Links, batch.Playlist, batch.Channel),
	reflect.TypeFor[batch.Status]():         enumOf(batch.Pending, batch.Processing, batch.Completed, batch.Failed, batch.Cancelled),
	reflect.TypeFor[batch.ItemStatus]():     enumOf(batch.ItemPending, batch.ItemProcessing, batch.ItemSuccess, batch.ItemFailed, batch.ItemSkipped),
	reflect.TypeFor[follow.Kind]():          enumOf(follow.Channel, follow.Playlist, follow.Feed),
	reflect.TypeFor[follow.Status]():        enumOf(follow.Active, follow.Paused, follow.Failing),
	reflect.TypeFor[follow.ItemStatus](): enumOf(
		follow.ItemWaiting, follow.ItemSubmitted, follow.ItemSkipped, follow.ItemFailed),
	reflect.TypeFor[webhook.DeliveryStatus](): enumOf(webhook.Pending, webhook.Delivered, webhook.Failed),
	reflect.TypeFor[webhook.EventType]():      enumOf(webhook.EventTypes()...),
	reflect.TypeFor[webhook.Status]():         enumOf(webhook.Active, webhook.Paused, webhook.Disabled),
}

// EnumValues returns the values of a type of strings, or nil if the table does not have the type.
func EnumValues(t reflect.Type) []any { return enumValues[t] }

func enumOf[T ~string](values ...T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}
