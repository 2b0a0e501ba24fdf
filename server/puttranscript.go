package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// PutTranscript stores a text of the program's own, such as a text that people have
// corrected, and returns its id. The source of the text is "manual". With an account, the text
// belongs to this account alone, stands in the account's library, and is deleted when the
// account removes it there. Without an account, the text answers every account. A second call
// for the same account, content and language replaces the text and keeps the id.
//
// From then on the text answers requests for the content. If its language is the one that the
// list of a request would take, the text comes before all captions, also on a platform that has
// none. The text replaces recognition if the platform has no captions or the content is an
// upload. It costs no transcript of a plan and does not expire. A list that asks for
// recognition ("asr") on a platform with captions ignores the text. A job without a first step
// ends with the text. A job in work goes on, and ends with its own result.
//
// Required are Platform, ExternalID by the grammar of [Config.Sites], Lang, a BCP 47 tag,
// and 1 to 100,000 Segments, sorted by Start, with text and with times of at least 0. The id of
// an upload is the first 32 hex digits of the SHA-256 of its bytes, and the text of an upload
// requires an account. Control characters in the text become U+FFFD. SourceURL nil becomes the
// platform's own link, DurationSec nil the end of the last segment. PutTranscript ignores ID,
// Source, Status and the times of the row.
//
// The error is a *transcript.Error for a text that is not valid. INVALID_REQUEST names the
// members in its details; INVALID_VIDEO and UNSUPPORTED_PLATFORM are about the content. While
// the database is away, the error is SERVICE_UNAVAILABLE: the text may or may not be stored, and
// the caller may repeat the call.
func (s *Server) PutTranscript(ctx context.Context, account string, t transcript.Transcript) (id string, err error) {
	return s.api.Intake.Put(ctx, account, t)
}
