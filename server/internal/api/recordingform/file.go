package recordingform

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// readFile reads the part of a form with the file. The service works on the file while it
// arrives, with the fields before it.
func (f *reader) readFile(ctx context.Context, part *multipart.Part) error {
	if f.upload != nil {
		return transcript.Errorf(transcript.UploadInvalid, "There is more than one file in the form.").With("part", "file")
	}
	if err := f.Check(); err != nil { // the client need not send the file
		return err
	}
	digest, err := DeclaredDigest(part.Header.Values("Content-Digest"))
	if err != nil {
		return err
	}
	arrived, err := f.begin(ctx)
	if err != nil {
		return err
	}
	defer arrived()
	u, err := f.pipeline.ReceiveFor(ctx, f.Expected(), BodyReader{part}, f.principal.Plan.MaxUploadBytes)
	if err != nil {
		return err
	}
	u.Name = formFileName.Replace(part.FileName())
	f.upload = u // from here on, Receive discards the file
	return u.CheckSum(digest)
}

// formFileName decodes the characters of a file name that browsers and Go escape in a form.
var formFileName = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// begin looks whether the service can take the file now. The caller has refused before what can never succeed.
func (f *reader) begin(ctx context.Context) (arrived func(), err error) {
	if f.Begin != nil {
		if err := f.Begin(); err != nil {
			return nil, err
		}
	}
	if err := f.pipeline.Disks.Room(f.announced); err != nil {
		return nil, err
	}
	return edge.HoldUpload(ctx)
}

// IsMedia reports whether a media type may be that of a recording. It tells a body that is a
// recording from a body that is something else. The part of a form with the file may declare any
// type: its bytes decide.
func IsMedia(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	kind, sub, _ := strings.Cut(t, "/")
	return err == nil && sub != "" && (kind == "audio" || kind == "video" || t == "application/ogg" || t == "application/octet-stream")
}

// DeclaredDigest is the SHA-256 of a Content-Digest header (RFC 9530), nil when
// there is none.
func DeclaredDigest(values []string) ([]byte, error) {
	for _, entry := range strings.Split(strings.Join(values, ","), ",") {
		algorithm, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		if !strings.EqualFold(algorithm, "sha-256") {
			continue
		}
		inner, ok := strings.CutPrefix(value, ":")
		if ok {
			inner, ok = strings.CutSuffix(inner, ":")
		}
		digest, err := base64.StdEncoding.DecodeString(inner)
		if !ok || err != nil || len(digest) != sha256.Size {
			return nil, transcript.Errorf(transcript.UploadInvalid, "The checksum that was sent with the file cannot be read.").With("form", "sha-256=:BASE64:")
		}
		return digest, nil
	}
	return nil, nil
}
