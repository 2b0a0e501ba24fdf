//go:build unix

package captionbench_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/batch/export"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// archives are the rows about whole batches.
var archives = []row{{"zip of 500 transcripts", goal{slower: 0.35, allocs: 1}, zipping}}

// zipped is how many cues a transcript in an archive has.
const zipped = 1_500

// zipping exports a batch of transcripts, of which twenty differ, as an archive. The
// other side does less: it only packs what ours has rendered.
func zipping(cues int) (size int, ours, theirs func() error) {
	const different = 20
	n := cues / zipped
	segments := talk(different * zipped)
	file := export.File{Batch: &batch.Job{}, Format: batch.ZIP, Texts: n}
	entries := func(yield func(export.Entry, error) bool) {
		for i := range n {
			from := i % different * zipped
			t := &transcript.Transcript{ExternalID: fmt.Sprint(i), Segments: segments[from : from+zipped]}
			if !yield(export.Entry{Transcript: t}, nil) {
				return
			}
		}
	}
	ours = func() error { return file.Write(io.Discard, entries) }
	var archive bytes.Buffer
	if err := file.Write(&archive, entries); err != nil {
		return 0, func() error { return err }, nil
	}
	files := unpack(archive.Bytes())
	for _, f := range files {
		size += len(f.content)
	}
	return size, ours, func() error { return pack(files) }
}

// packed is a file of an archive.
type packed struct{ name, content string }

// unpack returns the files of a valid archive. Equal contents are kept once.
func unpack(archive []byte) (files []packed) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err)
	}
	kept := map[string]string{}
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			panic(err)
		}
		content, err := io.ReadAll(opened)
		if err != nil {
			panic(err)
		}
		if _, has := kept[string(content)]; !has {
			kept[string(content)] = string(content)
		}
		files = append(files, packed{f.Name, kept[string(content)]})
	}
	return files
}

// pack does what unpack undoes, by the standard library.
func pack(files []packed) error {
	archive := zip.NewWriter(io.Discard)
	for _, f := range files {
		w, err := archive.Create(f.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}
