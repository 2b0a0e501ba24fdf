// Package export writes the transcripts of a batch to a file: plain text, CSV, JSON,
// subtitles, or a ZIP archive.
//
//	file := export.File{Batch: job, Format: batch.ZIP, Texts: job.Counts.Success}
//	err := file.Write(w, entries) // file.Name(), file.MediaType()
//
// The file pulls its entries one by one and keeps none, so that a batch of any size needs
// only the memory of its longest text. Equal entries give equal bytes as long as
// [Version] does not change.
package export
