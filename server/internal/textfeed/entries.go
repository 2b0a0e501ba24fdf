package textfeed

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

const (
	// MaxEntries is the largest number of texts in a feed.
	MaxEntries = 100
	// considered is how many of the most recently requested texts are read. The feed has those of
	// them that became ready last, because a recording may take hours while other texts become
	// ready.
	considered = 500
	// maxExcerpt is how much of a text is in the feed, in characters.
	maxExcerpt = 1000
	// maxTitle limits a title or a name in the feed, in characters.
	maxTitle = 300
)

// Entry is a text of an account as the feed shows it.
type Entry struct {
	ID           string // of the row in the library, which stays when the text is made again
	TranscriptID string
	Platform     transcript.Platform
	ExternalID   string
	Lang         string
	SourceURL    *string
	Title        *string
	Channel      *string
	RequestedAt  time.Time
	MadeAt       time.Time // when the text was first made, for whichever account
	ChangedAt    time.Time // when the text was last made

	Excerpt string `bun:"-"` // the beginning of the text, see Excerpts
}

// Appeared is when the account got the text. This time does not change when the text is made
// again, so that readers do not show the text as new.
func (e *Entry) Appeared() time.Time {
	if e.MadeAt.After(e.RequestedAt) {
		return e.MadeAt
	}
	return e.RequestedAt
}

// Entries returns the latest texts in the library of an account, newest first, without
// their excerpts.
func (f *Feeds) Entries(ctx context.Context, account string) (entries []Entry, err error) {
	err = f.db.Reader().NewRaw(`SELECT l.id, l.transcript_id, l.created_at AS requested_at,
			t.platform, t.external_id, t.lang, t.source_url, t.channel, t.created_at AS made_at, t.updated_at AS changed_at,
			coalesce((SELECT b.title FROM labels AS b WHERE b.account = l.account AND b.platform = t.platform
				AND b.external_id = t.external_id AND b.title <> ''), t.title) AS title
		FROM (SELECT id, created_at, transcript_id, account FROM library_rows WHERE account = ? AND kind = 'transcript'
			ORDER BY created_at DESC, id DESC LIMIT ?) AS l
		JOIN transcripts AS t ON t.id = l.transcript_id
		ORDER BY CASE WHEN t.created_at > l.created_at THEN t.created_at ELSE l.created_at END DESC, l.id DESC LIMIT ?`,
		account, considered, MaxEntries).Scan(ctx, &entries)
	return entries, sqldb.Wrap("read the new texts of "+account, err)
}

// Excerpts reads the beginnings of the texts of entries. A text that has been deleted meanwhile
// gets none.
func (f *Feeds) Excerpts(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].TranscriptID
	}
	var texts []struct {
		TranscriptID string
		Segments     []byte
	}
	reader := f.db.Reader()
	err := reader.NewSelect().Conn(sqldb.Binary(reader)).Table("texts").Column("transcript_id", "segments").
		Where("transcript_id IN (?)", bun.List(ids)).Scan(ctx, &texts)
	if err != nil {
		return sqldb.Wrap("read the beginnings of texts", err)
	}
	excerpts := make(map[string]string, len(texts))
	for _, text := range texts {
		if excerpts[text.TranscriptID], err = excerptOf(text.Segments); err != nil {
			return fmt.Errorf("textfeed: the segments of transcript %s: %w", text.TranscriptID, err)
		}
	}
	for i := range entries {
		entries[i].Excerpt = excerpts[entries[i].TranscriptID]
	}
	return nil
}

// excerptOf returns the beginning of a stored text on one line. It unpacks no more than it
// needs.
func excerptOf(packed []byte) (string, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	all := json.NewDecoder(plain)
	if _, err := all.Token(); err != nil { // the beginning of the array
		return "", err
	}
	var first []transcript.Segment
	for length := 0; length <= maxExcerpt && all.More(); {
		var s transcript.Segment
		if err := all.Decode(&s); err != nil {
			return "", err
		}
		first = append(first, s)
		length += utf8.RuneCountInString(s.Text)
	}
	line := clip.Line(string(format.AppendText(nil, first, false)), maxExcerpt+2) // a longer text stays longer when a space at its end goes
	return clip.To(line, maxExcerpt), nil
}
