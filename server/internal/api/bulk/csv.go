package bulk

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// csvColumn is the name of the column with the links in a CSV body.
const csvColumn = "url"

// maxColumns is the largest number of columns in a CSV body: as many as a spreadsheet
// has. With millions of columns, a row would take many times the body's own memory.
const maxColumns = 16384

// linksOfCSV returns the links of a CSV body (RFC 4180, in UTF-8): a row with the names
// of the columns, and then a link in each row. It skips empty rows. The error is a
// CSV_PARSE_ERROR whose details.line is counted from 1.
func linksOfCSV(body []byte) ([]string, error) {
	if at := notText(body); at >= 0 {
		return nil, csvFault(1+bytes.Count(body[:at], []byte("\n")), "holds what is no text in UTF-8")
	}
	if line := tooWide(body); line > 0 {
		return nil, csvFault(line, "has more than %d cells", maxColumns)
	}
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff")))) // the byte order mark with which some programs begin a file
	rows.ReuseRecord = true
	column, err := csvHeader(rows)
	if err != nil {
		return nil, err
	}
	var links []string
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return links, fewEnough(len(links))
		case err != nil:
			return nil, csvBroken(err, len(row))
		case isBlank(row):
			continue
		}
		line, _ := rows.FieldPos(column)
		link := strings.TrimSpace(row[column])
		switch n := utf8.RuneCountInString(link); {
		case n == 0:
			return nil, csvFault(line, "has no %s", csvColumn)
		case n > resource.MaxURL:
			return nil, csvFault(line, "has a %s of %d characters, and %d are allowed", csvColumn, n, resource.MaxURL)
		case len(links) == batcher.MaxEntries:
			return nil, fewEnough(len(links) + 1)
		}
		links = append(links, strings.Clone(link)) // a substring would keep the whole row in memory
	}
}

// fewEnough checks that there are at most as many links as in a JSON body.
func fewEnough(links int) error {
	if links >= 1 && links <= batcher.MaxEntries {
		return nil
	}
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
		Path: csvColumn, Message: fmt.Sprintf("must stand in 1 to %d rows, not %d", batcher.MaxEntries, links),
	})
}

// csvHeader reads the names of the columns, and returns the column with the links.
func csvHeader(rows *csv.Reader) (column int, err error) {
	names, err := rows.Read()
	switch {
	case errors.Is(err, io.EOF):
		return 0, csvFault(1, "is missing: it names the columns, and one column is %s", csvColumn)
	case err != nil:
		return 0, csvBroken(err, len(names))
	}
	isLink := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), csvColumn) }
	column = slices.IndexFunc(names, isLink)
	switch {
	case column < 0:
		return 0, csvFault(1, "names no column %s: the first line names the columns, parted by commas", csvColumn)
	case slices.ContainsFunc(names[column+1:], isLink):
		return 0, csvFault(1, "names two columns %s", csvColumn)
	}
	return column, nil
}

// notText returns the place of the first byte that is NUL or not valid UTF-8, or -1 if
// there is none.
func notText(body []byte) int {
	nul := bytes.IndexByte(body, 0)
	if utf8.Valid(body) {
		return nul
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(body[at:])
		if r == utf8.RuneError && size <= 1 || at == nul {
			return at
		}
		at += size
	}
}

// tooWide returns the first line on which a row has more than maxColumns cells, or 0 if
// there is none. It may be wrong for rows whose quotes do not match, but such rows are
// refused anyway.
func tooWide(body []byte) int {
	line, cells, quoted := 1, 1, false
	for _, b := range body {
		switch {
		case b == '"':
			quoted = !quoted // a doubled quote changes quoted twice
		case b == '\n':
			line++
			if !quoted {
				cells = 1
			}
		case b == ',' && !quoted:
			if cells++; cells > maxColumns {
				return line
			}
		}
	}
	return 0
}

func isBlank(row []string) bool {
	return !slices.ContainsFunc(row, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// csvBroken is the fault of a row that cannot be read, or that has another number of cells
// than the first row.
func csvBroken(err error, cells int) error {
	fault := new(csv.ParseError)
	switch {
	case !errors.As(err, &fault):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return csvFault(fault.StartLine, "has %d cells, and not as many as the first: a cell with a comma in it stands in quotes", cells)
	}
	return csvFault(fault.StartLine, "begins a row whose quotes do not match: a quote within quotes is written twice")
}

func csvFault(line int, format string, args ...any) *transcript.Error {
	return transcript.Errorf(transcript.CSVParseError, "The CSV cannot be read: line %d %s.", line, fmt.Sprintf(format, args...)).
		With("line", line)
}
