package edge

import "strings"

// Header is a header of an answer, by its name in the components of the API's document.
type Header string

// The headers of answers in the document.
const (
	HeaderRequestID    Header = "X-Request-Id"
	HeaderLocation     Header = "Location"
	HeaderRetryAfter   Header = "Retry-After"
	HeaderETag         Header = "ETag"
	HeaderReplayed     Header = "Idempotency-Replayed"
	HeaderChallenge    Header = "WWW-Authenticate"
	HeaderDisposition  Header = "Content-Disposition"
	HeaderAcceptRanges Header = "Accept-Ranges"
	HeaderContentRange Header = "Content-Range"
	HeaderLimit        Header = "X-RateLimit-Limit"
	HeaderRemaining    Header = "X-RateLimit-Remaining"
	HeaderReset        Header = "X-RateLimit-Reset"
	HeaderPolicy       Header = "RateLimit-Policy"
	HeaderRateLimit    Header = "RateLimit"

	HeaderUploadComplete Header = "Upload-Complete"
	HeaderUploadOffset   Header = "Upload-Offset"
	HeaderUploadLength   Header = "Upload-Length"
	HeaderUploadLimit    Header = "Upload-Limit"

	// HeaderMayRetryAfter is Retry-After on an answer that may have no such header. A
	// reference in the document cannot say so.
	HeaderMayRetryAfter Header = "Retry-After" + sometimes
)

const sometimes = "-Sometimes"

// Name is the name of the header in an answer.
func (h Header) Name() string { return strings.TrimSuffix(string(h), sometimes) }
