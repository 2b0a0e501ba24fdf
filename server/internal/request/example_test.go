package request_test

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// search is the query of a search.
type search struct {
	words string
	most  int
}

func (s *search) table() request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("q", &s.words, request.Text(1, 200)).Required(),
		request.New("maxResults", &s.most, request.Integer(1, 50).Default(20)),
	}}
}

func Example() {
	var s search
	fmt.Println(s.table().ReadQuery("q=needle"))
	fmt.Println(s.words, s.most)
	fmt.Println(s.table().ReadQuery("maxResults=99"))
	// Output:
	// <nil>
	// needle 20
	// INVALID_REQUEST: The request is not valid: q is missing.
}
