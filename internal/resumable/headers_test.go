package resumable_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
)

func TestBooleans(t *testing.T) {
	t.Parallel()
	for _, value := range []bool{true, false} {
		read, present, err := resumable.ReadBool(http.Header{resumable.Complete: {" " + resumable.Bool(value) + " "}}, resumable.Complete)
		require.NoError(t, err)
		assert.True(t, present)
		assert.Equal(t, value, read)
	}
	_, present, err := resumable.ReadBool(http.Header{}, resumable.Complete)
	require.NoError(t, err)
	assert.False(t, present)
	for _, values := range [][]string{{""}, {"1"}, {"true"}, {"?2"}, {"?1;a"}, {"?1,?1"}, {"?1", "?1"}, {"\t?1"}} {
		_, _, err := resumable.ReadBool(http.Header{resumable.Complete: values}, resumable.Complete)
		bad := new(resumable.HeaderError)
		require.ErrorAs(t, err, &bad, "%q", values)
		assert.Equal(t, resumable.Complete, bad.Header)
	}
}

func TestIntegers(t *testing.T) {
	t.Parallel()
	for _, value := range []int64{0, 1, 4 << 30, resumable.LargestInteger} {
		read, present, err := resumable.ReadInteger(http.Header{resumable.Offset: {resumable.Integer(value)}}, resumable.Offset)
		require.NoError(t, err)
		assert.True(t, present)
		assert.Equal(t, value, read)
	}
	for _, values := range [][]string{{""}, {"-1"}, {"+1"}, {"1.0"}, {"1e3"}, {"0x1"}, {"１"}, {"1 2"}, {"1;a"}, {"1", "1"}, {"1000000000000000"}, {"18446744073709551617"}} {
		_, _, err := resumable.ReadInteger(http.Header{resumable.Offset: values}, resumable.Offset)
		bad := new(resumable.HeaderError)
		require.ErrorAs(t, err, &bad, "%q", values)
		assert.Equal(t, resumable.Offset, bad.Header)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	assert.Empty(t, resumable.Limits{}.String())
	whole := resumable.Limits{MaxSize: 4 << 30, MaxAppendSize: 100, MaxAge: 24 * time.Hour}
	assert.Equal(t, "max-size=4294967296, max-append-size=100, max-age=86400", whole.String())
	for value, want := range map[string]resumable.Limits{
		"":                                     {},
		whole.String():                         whole,
		"max-age=1;a=2,min-size=x, max-size=7": {MaxSize: 7, MaxAge: time.Second}, // min-size is not known here
		"max-age=999999999999999":              {MaxAge: 10 * 365 * 24 * time.Hour},
	} {
		read, err := resumable.ReadLimits(http.Header{resumable.Limit: {value}})
		require.NoError(t, err, value)
		assert.Equal(t, want, read, value)
	}
	for _, value := range []string{"max-size", "max-size=-1", "max-size=?1", "max-age=1.5", `max-size="1"`} {
		_, err := resumable.ReadLimits(http.Header{resumable.Limit: {value}})
		require.Error(t, err, value)
	}
}

// FuzzHeaders holds what is read to what would be written.
func FuzzHeaders(f *testing.F) {
	for _, value := range []string{"?1", "?0", "0", "999999999999999", "-1", "max-size=1, max-age=2", "max-size", "", ", ,"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		h := http.Header{resumable.Complete: {value}, resumable.Offset: {value}, resumable.Limit: {value}}
		if b, present, err := resumable.ReadBool(h, resumable.Complete); err == nil {
			require.True(t, present)
			require.Contains(t, value, resumable.Bool(b))
		}
		if n, _, err := resumable.ReadInteger(h, resumable.Offset); err == nil {
			require.GreaterOrEqual(t, n, int64(0))
			require.LessOrEqual(t, n, int64(resumable.LargestInteger))
			require.Contains(t, value, strconv.FormatInt(n, 10))
		}
		if l, err := resumable.ReadLimits(h); err == nil {
			again, err := resumable.ReadLimits(http.Header{resumable.Limit: {l.String()}})
			require.NoError(t, err)
			require.Equal(t, l, again)
		}
	})
}
