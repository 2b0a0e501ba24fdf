package server

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// query reads the parameters of a request. Those that it is not asked for are
// ignored (contract 1).
type query struct {
	values   url.Values
	problems // what is wrong, as far as it has been read
}

func readQuery(r *http.Request) *query {
	q := new(query)
	var err error
	if q.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		q.cannotRead("query", "is not well formed")
	}
	return q
}

// text is the value of a parameter, nil when it is not there.
func (q *query) text(name string) *string {
	switch values := q.values[name]; len(values) {
	case 0:
		return nil
	case 1:
		return &values[0]
	default:
		q.cannotRead(name, "is there more than once")
		return nil
	}
}

// required is a parameter that must be there.
func (q *query) required(name string) string {
	if !q.values.Has(name) {
		q.cannotRead(name, "is missing")
	}
	if value := q.text(name); value != nil {
		return *value
	}
	return ""
}

func (q *query) flag(name string) *bool {
	value := q.text(name)
	if value == nil {
		return nil
	}
	yes := *value == "true"
	if !yes && *value != "false" {
		q.doesNotFit(name, "must be true or false")
	}
	return &yes
}

func (q *query) languages() transcript.LanguageList {
	value := q.text("language")
	if value == nil {
		return nil
	}
	languages, err := transcript.ParseLanguageList(*value)
	if err != nil {
		q.doesNotFit("language", "%s", err)
	}
	return languages
}

// err is a 400 for whatever is wrong in a query (contract 2).
func (q *query) err() error {
	if wrong := slices.Concat(q.unreadable, q.unfit); len(wrong) > 0 {
		return invalid(http.StatusBadRequest, wrong...)
	}
	return nil
}
