package recognize

import (
	"cmp"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// recognizerOf is what is stored of a recognizer with each chunk that it has
// recognized. Processes that share the work may have different ones.
func recognizerOf(info engine.RecognizerInfo) db.Recognizer {
	r := db.Recognizer{Engine: info.Name, Model: info.Model, ModelSHA256: info.ModelSHA256, Quality: info.Quality, Detects: info.Detects}
	if !info.Detects && len(info.Languages) > 0 {
		r.Language = info.Languages[0]
	}
	return r
}

// heardBy describes the recognizer that heard a chunk.
func heardBy(r engine.Recognizer, heard engine.Recognition) engine.RecognizerInfo {
	if heard.By != nil {
		return *heard.By
	}
	return r.Info()
}

// recognizersOf are the recognizers of the chunks, first the one that has recognized
// the most seconds of speech.
func recognizersOf(chunks []db.Chunk, results []recognition.Result) []db.Recognizer {
	seconds := make(map[int]float64, len(results))
	for _, r := range results {
		for _, s := range r.Segments {
			seconds[r.Chunk] += s.Duration
		}
	}
	var all []db.Recognizer
	heard := map[db.Recognizer]float64{}
	for _, c := range chunks {
		if c.Recognizer == nil {
			continue
		}
		if _, known := heard[*c.Recognizer]; !known {
			all = append(all, *c.Recognizer)
		}
		heard[*c.Recognizer] += seconds[c.N]
	}
	slices.SortStableFunc(all, func(a, b db.Recognizer) int { return cmp.Compare(heard[b], heard[a]) })
	return all
}

// languageOf returns the heard language, else the requested language, else the language
// that the recognizer listens for, else "und" (RFC 5646: undetermined). If the text is
// empty, the language of the recognizer says nothing about the recording.
func languageOf(text recognition.Transcription, e *db.Work, heard []db.Recognizer) string {
	tag := cmp.Or(text.Language, subject.OfWork(e).ASRLanguage())
	if tag == "" && len(heard) > 0 && len(text.Segments) > 0 {
		tag = heard[0].Language
	}
	return cmp.Or(tag, "und")
}

// provenance returns the metadata of a recognized transcript: the recognizers, whether
// they detect languages, whether the account's prompt guided them, where text is
// missing, whether nothing was heard, the caption sources that were asked first, and whether
// the platform blocked the captions. A recording of silence names no recognizer.
func provenance(text recognition.Transcription, e *db.Work, heard []db.Recognizer) map[string]any {
	m := map[string]any{}
	if len(heard) > 0 {
		most := heard[0]
		m["engine"], m["languageDetected"] = most.Engine, most.Detects
		if most.Model != "" {
			m["model"] = most.Model
		}
		if most.ModelSHA256 != "" {
			m["modelSHA256"] = most.ModelSHA256
		}
		if most.Quality != "" {
			m["quality"] = most.Quality
		}
	}
	if len(heard) > 1 {
		m["recognizers"] = heard
	}
	if len(text.Segments) == 0 {
		m["nothingHeard"] = true
	}
	if text.Prompted {
		m["prompted"] = true
	}
	if len(text.Gaps) > 0 {
		m["gaps"] = text.Gaps
	}
	if len(e.Tried) > 0 {
		m["tried"] = e.Tried
	}
	if ask.CaptionsBlocked(e.Tried) {
		m["captionsBlocked"] = true
	}
	return m
}
