package bulk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/batch/export"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// exportChunk is how many bytes of an export are sent at once.
const exportChunk = 64 << 10

func (b *Batches) exportRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/batch/{batchId}/export",
		Operation: "exportBatch", Tag: "batches",
		Summary: "Read all texts of a batch as one file.",
		Scope:   account.Batches, Streams: true, Handle: b.exportBatch,
		Path: byID.Path(new(string)), Query: exportQuery(new(exportRequest)),
		Answers: resource.FileAnswers(ExportedBatch{}, "text/plain", "text/csv", "application/x-subrip", "text/vtt", "application/zip"),
		Codes: []transcript.Code{
			transcript.InvalidRequest, transcript.NotFound, transcript.NoTranscript, transcript.StateConflict,
		},
	}
}

// ExportedBatch is an export as JSON.
type ExportedBatch struct {
	Batch batch.Job      `json:"batch"` // the batch at the moment of the export
	Items []ExportedItem `json:"items"` // its items, in the order of the request
}

// ExportedItem is an item of an export.
type ExportedItem struct {
	Item       batch.Item             `json:"item"`       // the item at the moment of the export
	Transcript *transcript.Transcript `json:"transcript"` // its transcript; nil if it has none
}

// exportRequest describes the file of a batch.
type exportRequest struct {
	format         batch.ExportFormat
	omitTimestamps bool // of txt
	partial        bool
}

// exportQuery is the query of GET /v1/batch/{batchId}/export.
func exportQuery(e *exportRequest) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("format", &e.format, request.Enum(batch.ExportFormats())).Required().About("The form of the file."),
		request.New("includeTimestamp", &e.omitTimestamps, request.Not().Default(false)).
			About("If true, txt has the times. The other formats ignore it."),
		request.New("partial", &e.partial, request.Boolean().Default(false)).
			About("If true, a batch that has not ended is exported in its current state."),
	}}
}

// exportBatch is GET /v1/batch/{batchId}/export.
func (b *Batches) exportBatch(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	if !p.Plan.BatchExport { // check the plan before the request
		return p.Plan.UpgradeRequired("The plan does not include the export of batches.")
	}
	var asked exportRequest
	if err := exportQuery(&asked).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	e, err := b.Pipeline.Batches.Export(r.Context(), p.Account, id, asked.partial)
	if err != nil {
		return err
	}
	file := export.File{
		Batch: e.Batch, Format: asked.format, Texts: e.Texts(),
		OmitTimestamps: asked.omitTimestamps && asked.format == batch.TXT,
	}
	etag, err := edge.TagOf(export.Version, file, e.Items, e.TextsAt, e.Labels)
	if err != nil {
		return err
	}
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	if err := b.sendExport(w, r, file, e); err != nil || r.Method == http.MethodHead {
		return err
	}
	mark, media := "exp_"+strings.Trim(etag, `"`), file.MediaType()
	if err := b.Pipeline.Batches.Exported(context.WithoutCancel(r.Context()), p.Account, id, mark, media); err != nil {
		// The client has the file, so it does not matter if the note of the export is lost.
		b.Log.WarnContext(r.Context(), "an export was not noted", "request", edge.RequestID(r.Context()), "batch", id, "err", err)
	}
	return nil
}

// sendExport sends a file to its end, or cuts the connection, so that an incomplete file
// does not look complete. If nothing was sent yet, an error gets a normal error answer.
func (b *Batches) sendExport(w http.ResponseWriter, r *http.Request, file export.File, e *batcher.Export) error {
	h := w.Header()
	h.Set("Content-Type", file.MediaType())
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", file.Name()))
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	buffered := bufio.NewWriterSize(w, exportChunk)
	err := file.Write(buffered, e.Entries(r.Context()))
	if err == nil {
		if err = buffered.Flush(); err == nil {
			err = http.NewResponseController(w).Flush()
		}
	}
	switch {
	case err == nil:
		return nil
	case !edge.Begun(r.Context()):
		h.Del("ETag")
		h.Del("Content-Disposition")
		if errors.Is(err, batcher.ErrTextChanged) {
			return edge.Unavailable().Because(err) // a new request gets the new text
		}
		return err
	}
	edge.Abort(r, err)
	return nil
}
