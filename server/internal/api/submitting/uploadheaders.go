package submitting

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/recordingform"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/uploads"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// uploadHeaders are the headers of a request with a part of a file.
type uploadHeaders struct {
	resumable bool   // the sender may send the rest later
	complete  bool   // the body is the end of the file
	offset    int64  // where the body begins; -1 if not said
	length    *int64 // of the whole file; nil if not said
	digest    []byte // the SHA-256 of the whole file; nil if not said
	interim   bool   // the sender reads interim answers
}

// readUploadHeaders reads each header separately.
func readUploadHeaders(r *http.Request) (h uploadHeaders, err error) {
	h.offset = -1
	if h.complete, h.resumable, err = resumable.ReadBool(r.Header, resumable.Complete); err != nil {
		return h, invalidHeader(err)
	}
	offset, said, err := resumable.ReadInteger(r.Header, resumable.Offset)
	if err != nil {
		return h, invalidHeader(err)
	}
	if said {
		h.offset = offset
	}
	length, said, err := resumable.ReadInteger(r.Header, resumable.Length)
	if err != nil {
		return h, invalidHeader(err)
	}
	if said {
		h.length = &length
	}
	h.interim = r.Header.Get(resumable.Interop) == resumable.InteropVersion
	h.digest, err = recordingform.DeclaredDigest(r.Header.Values("Repr-Digest"))
	return h, err
}

func invalidHeader(err error) error {
	var header *resumable.HeaderError
	if !errors.As(err, &header) {
		return err
	}
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: header.Header, Message: header.Message})
}

// checkAnnounced refuses headers that contradict earlier requests for the upload, and a file that
// is larger than the plan permits, because no other offset helps.
func (h *uploadHeaders) checkAnnounced(plan account.Plan, u *db.Upload) error {
	if u.Digest != nil && h.digest != nil && !bytes.Equal(u.Digest, h.digest) {
		return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "Repr-Digest", Message: "is another one than was announced before"})
	}
	if h.length == nil {
		return nil
	}
	if u.Length != nil && *u.Length != *h.length {
		return inconsistent(fmt.Sprintf("is not %d, the length that was announced before", *u.Length))
	}
	return uploads.CheckSize(*h.length, plan.MaxUploadBytes)
}

// settleLength finds the length of the file from the headers of this request and of earlier
// requests, which checkAnnounced has compared. It refuses a body that would end after the end of
// the file, and a last body that would end before it.
func (h *uploadHeaders) settleLength(r *http.Request, offset int64, known *int64) error {
	if h.length == nil {
		h.length = known
	}
	if r.ContentLength < 0 { // its length is not known
		return nil
	}
	if r.ContentLength > resumable.LargestInteger-offset {
		return inconsistent(fmt.Sprintf("would be more than %d", resumable.LargestInteger))
	}
	end := offset + r.ContentLength
	switch {
	case h.length == nil && h.complete:
		h.length = &end
	case h.length == nil:
	case end > *h.length:
		return inconsistent(fmt.Sprintf("is %d, and the body would end at byte %d", *h.length, end))
	case end < *h.length && h.complete:
		return inconsistent(fmt.Sprintf("is %d, and the last body ends at byte %d", *h.length, end))
	}
	return nil
}

// The types of problems that the draft defines, for details.type.
const (
	problemOffset = "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
	problemLength = "https://iana.org/assignments/http-problem-types#inconsistent-upload-length"
	problemDone   = "https://iana.org/assignments/http-problem-types#completed-upload"
)

func inconsistent(message string) error {
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: resumable.Length, Message: message}).With("type", problemLength)
}

// uploadLimits are the limits of the uploads of an account.
func uploadLimits(plan account.Plan) string {
	l := resumable.Limits{MaxAge: db.UploadAge}
	if plan.MaxUploadBytes != account.Unlimited {
		l.MaxSize = plan.MaxUploadBytes
	}
	return l.String()
}

// uploadTable describes the headers of a request with a part of a file, for the document.
func uploadTable(names ...string) request.Table {
	all := request.Table{Fields: []*request.Field{
		request.New(resumable.Complete, new(string), request.Text(0, 0)).About("?1: the body is the end of the file. ?0: more will come. Without the header the body is the whole file, and cannot be resumed."),
		request.New(resumable.Offset, new(string), request.Text(0, 0)).About("The byte of the file at which the body begins."),
		request.New(resumable.Length, new(string), request.Text(0, 0)).About("The size of the whole file in bytes, if it is known."),
		request.New("Repr-Digest", new(string), request.Text(0, 0)).About("The checksum of the whole file, sha-256=:BASE64:."),
		resource.FileNameField(),
		request.New(resumable.Interop, new(string), request.Text(0, 0)).About("8: the client reads interim responses with the status 104."),
	}}
	return all.Only(names...)
}

// informed sends interim answers to a sender that reads them.
type informed struct {
	w http.ResponseWriter
	r *http.Request
	h uploadHeaders
}

func (i informed) tell(header map[string]string) {
	if i.h.interim {
		header[resumable.Interop] = resumable.InteropVersion
		edge.RespondInterim(i.w, i.r, resumable.StatusResumption, header)
	}
}
