package s3store_test

import (
	"context"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// open opens the bucket of a URL.
func open(t *testing.T, place string) (*blob.Bucket, error) {
	t.Helper()
	u, err := url.Parse(place)
	require.NoError(t, err)
	bucket, err := s3store.Open(t.Context(), u)
	if err == nil {
		t.Cleanup(func() { assert.NoError(t, bucket.Close()) })
	}
	return bucket, err
}

// uses sends a request of each kind to a bucket and returns what the error of each means.
func uses(ctx context.Context, b *blob.Bucket) map[string]gcerrors.ErrorCode {
	_, read := b.ReadAll(ctx, "a")
	_, list := b.List(nil).Next(ctx)
	_, about := b.Attributes(ctx, "a")
	return map[string]gcerrors.ErrorCode{
		"read": gcerrors.Code(read), "list": gcerrors.Code(list), "attributes": gcerrors.Code(about),
		"write": gcerrors.Code(b.WriteAll(ctx, "a", []byte("x"), nil)), "delete": gcerrors.Code(b.Delete(ctx, "a")),
	}
}

// all returns one code for each request of uses.
func all(code gcerrors.ErrorCode) map[string]gcerrors.ErrorCode {
	return map[string]gcerrors.ErrorCode{"read": code, "list": code, "attributes": code, "write": code, "delete": code}
}

// The test is not parallel, because it changes the credentials of the process.
func TestWrongCredentials(t *testing.T) {
	place := storetest.S3(t)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong-5ecret")
	b, err := open(t, place)
	require.NoError(t, err, "Open sends no request")
	assert.Equal(t, all(gcerrors.PermissionDenied), uses(t.Context(), b))
	err = b.WriteAll(t.Context(), "a", []byte("x"), nil)
	require.ErrorContains(t, err, "Check your key and signing method")
	assert.NotContains(t, err.Error(), "5ecret")
}

func TestMissingBucket(t *testing.T) {
	t.Parallel()
	bucket := storetest.NewBucket(t)
	b, err := open(t, strings.Replace(bucket.URL, bucket.Name, "no-such-bucket", 1))
	require.NoError(t, err, "Open sends no request")
	assert.Equal(t, all(gcerrors.NotFound), uses(t.Context(), b))
	assert.ErrorContains(t, b.WriteAll(t.Context(), "a", []byte("x"), nil), "bucket does not exist")
}

func TestMissingObject(t *testing.T) {
	t.Parallel()
	b, err := open(t, storetest.S3(t))
	require.NoError(t, err)
	_, err = b.ReadAll(t.Context(), "a")
	assert.Equal(t, gcerrors.NotFound, gcerrors.Code(err))
	_, err = b.Attributes(t.Context(), "a")
	assert.Equal(t, gcerrors.NotFound, gcerrors.Code(err))
	assert.NoError(t, b.Delete(t.Context(), "a"), "S3 does not tell whether the object was there")
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"s3://":                                              "want s3://BUCKET",
		"s3:bucket":                                          "want s3://BUCKET",
		"gs://bucket":                                        "want s3://BUCKET",
		"s3://bucket?endpoint=":                              "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?endpoint=host:9000":                     "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?endpoint=ftp://host":                    "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?endpoint=http://":                       "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?endpoint=http://host/a":                 "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?endpoint=http://host?a":                 "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?endpoint=http://me:5ecret@host":         "endpoint: want http://HOST:PORT or https://HOST:PORT",
		"s3://bucket?use_path_style=perhaps":                 "use_path_style: want true or false",
		"s3://bucket?secret=5ecret":                          `unknown query parameter "secret": want region, endpoint or use_path_style`,
		"s3://bucket?region=eu-west-1&s3ForcePathStyle=true": `unknown query parameter "s3ForcePathStyle": want region, endpoint or use_path_style`,
	} {
		_, err := open(t, place)
		require.EqualError(t, err, want, place)
	}
	for _, place := range []string{"s3://bucket", "s3://bucket?region=eu-west-1", "s3://bucket?endpoint=https://host/&use_path_style=false"} {
		_, err := open(t, place)
		assert.NoError(t, err, place)
	}
}

// A bucket refuses what the store does not need. It does not do something else instead.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	b, err := open(t, storetest.S3(t))
	require.NoError(t, err)
	require.NoError(t, b.WriteAll(t.Context(), "a", []byte("old"), nil))
	_, nothing := b.NewRangeReader(t.Context(), "a", 1, 0, nil)
	_, signed := b.SignedURL(t.Context(), "a", nil)
	_, delimited := b.List(&blob.ListOptions{Delimiter: "/"}).Next(t.Context())
	for name, err := range map[string]error{
		"nothing": nothing, "signed": signed, "folders": delimited,
		"copy":        b.Copy(t.Context(), "b", "a", nil),
		"conditional": b.WriteAll(t.Context(), "a", []byte("new"), &blob.WriterOptions{IfNotExist: true}),
		"metadata":    b.WriteAll(t.Context(), "a", []byte("new"), &blob.WriterOptions{Metadata: map[string]string{"by": "me"}}),
	} {
		assert.Equal(t, gcerrors.Unimplemented, gcerrors.Code(err), "%s: %v", name, err)
	}
	kept, err := b.ReadAll(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "old", string(kept))
}

// A page has as many objects as the caller wants, and the next page begins after it.
func TestPages(t *testing.T) {
	t.Parallel()
	bucket := storetest.NewBucket(t)
	b, err := open(t, bucket.URL)
	require.NoError(t, err)
	want := []string{"audio/0", "audio/1/a", "audio/1/b", "audio/2", "audio/3"}
	for _, key := range append(want, "video/0") {
		bucket.Plant(t, key)
	}
	var keys []string
	for token := blob.FirstPageToken; len(token) > 0; {
		var page []*blob.ListObject
		page, token, err = b.ListPage(t.Context(), token, 2, &blob.ListOptions{Prefix: "audio/"})
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), 2)
		for _, o := range page {
			keys = append(keys, o.Key)
		}
	}
	assert.Equal(t, want, keys)
	_, err = b.List(&blob.ListOptions{Prefix: "text/"}).Next(t.Context())
	assert.ErrorIs(t, err, io.EOF)
}

// A range is a part of an object, and knows the size of the whole.
func TestRanges(t *testing.T) {
	t.Parallel()
	b, err := open(t, storetest.S3(t))
	require.NoError(t, err)
	require.NoError(t, b.WriteAll(t.Context(), "a", []byte("0123456789"), nil))
	for _, c := range []struct {
		offset, length int64
		want           string
	}{{0, -1, "0123456789"}, {0, 1, "0"}, {3, 4, "3456"}, {7, -1, "789"}, {8, 100, "89"}, {0, 10, "0123456789"}} {
		r, err := b.NewRangeReader(t.Context(), "a", c.offset, c.length, nil)
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		assert.Equal(t, c.want, string(got))
		assert.EqualValues(t, 10, r.Size())
	}
}
