// Package export writes what a batch has made as a file: plain text, CSV, JSON,
// subtitles, or a zip archive with all of these.
//
//	file := export.File{Batch: job, Format: batch.ZIP, Texts: job.Counts.Success}
//	err := file.Write(w, entries) // file.Name(), file.MediaType()
//
// Entries are pulled one by one and none is kept, so a batch of any size takes only the
// memory of its longest text. Equal entries give equal bytes within a [Version].
package export
