package store

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Account is a customer.
type Account struct {
	ID        string // the name given by the operator
	Plan      string
	Suspended bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Account returns the account, or ErrNotFound.
func (q queries) Account(ctx context.Context, id string) (Account, error) { panic("unwritten") }

// Accounts returns all accounts by name.
func (q queries) Accounts(ctx context.Context) ([]Account, error) { panic("unwritten") }

// PutAccount creates the account or changes its plan and state.
func (tx *Tx) PutAccount(ctx context.Context, a Account) error { panic("unwritten") }

// Key is an API key as it is stored: never the key itself.
type Key struct {
	ID         string // UUIDv7
	Account    string
	Prefix     string // "tr_9fK2mQ7a", unique
	Hash       []byte // SHA-256 of the whole key
	Name       string
	Scopes     []string
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time
}

// KeyByPrefix returns the key and its account, or ErrNotFound. One query.
func (q queries) KeyByPrefix(ctx context.Context, prefix string) (Key, Account, error) {
	panic("unwritten")
}

// Keys returns all keys, oldest first.
func (q queries) Keys(ctx context.Context) ([]Key, error) { panic("unwritten") }

// InsertKey stores a new key.
func (tx *Tx) InsertKey(ctx context.Context, k Key) error { panic("unwritten") }

// RevokeKey marks the key as revoked, or returns ErrNotFound. The time of an
// earlier revocation stays.
func (tx *Tx) RevokeKey(ctx context.Context, prefix string, at time.Time) error { panic("unwritten") }

// TouchKey notes that the key was used at the given time, unless a use less
// than a minute older is noted.
func (s *Store) TouchKey(ctx context.Context, id string, at time.Time) error { panic("unwritten") }

// Transcript is a stored transcript. The embedded one has no Segments: they are
// kept as the JSON that answers carry.
type Transcript struct {
	transcript.Transcript
	Owner string // the account for an upload, "" for what all may share
	// Duration is the length of the media in seconds; 0: not known.
	Duration float64
	// SegmentsJSON is the rendered array. It is stored compressed.
	SegmentsJSON []byte
	// WordsJSON is an array with the words of each segment, or nil.
	WordsJSON []byte
}

// Transcript returns a transcript by id, or ErrNotFound.
func (q queries) Transcript(ctx context.Context, id string) (*Transcript, error) { panic("unwritten") }

// TranscriptsOf returns what is stored of one content, newest first, without
// segments and words.
func (q queries) TranscriptsOf(ctx context.Context, owner string, p transcript.Platform, externalID string) ([]Transcript, error) {
	panic("unwritten")
}

// PutTranscript stores t. Where the owner already has one of the same platform,
// external id, language and source, that one is replaced and keeps its id and
// its time of creation (contract 3). It returns the id.
func (tx *Tx) PutTranscript(ctx context.Context, t *Transcript) (id string, err error) {
	panic("unwritten")
}

// Extraction is the making of one transcript, whoever asked for it.
type Extraction struct {
	ID         string // UUIDv7
	Owner      string // the account for an upload, "" for what all may share
	Platform   transcript.Platform
	ExternalID string
	Languages  string // the canonical language list; "" when none was sent
	State      transcript.State
	Attempt    int // from 1
	Title      string
	MediaKey   string  // the blob of an upload; "" when there is none
	Duration   float64 // seconds, measured; 0: not known yet
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// RunningExtraction returns the extraction of this content and list that has
// not ended, or ErrNotFound.
func (q queries) RunningExtraction(ctx context.Context, owner string, p transcript.Platform, externalID, languages string) (*Extraction, error) {
	panic("unwritten")
}

// Extraction returns an extraction by id, or ErrNotFound.
func (q queries) Extraction(ctx context.Context, id string) (*Extraction, error) {
	panic("unwritten")
}

// LockExtraction is Extraction, and no other transaction can move or lock the
// row until this one ends.
func (tx *Tx) LockExtraction(ctx context.Context, id string) (*Extraction, error) {
	panic("unwritten")
}

// InsertExtraction stores a new extraction.
func (tx *Tx) InsertExtraction(ctx context.Context, e *Extraction) error { panic("unwritten") }

// SetDuration notes the measured length of the media in seconds.
func (tx *Tx) SetDuration(ctx context.Context, extractionID string, sec float64) error {
	panic("unwritten")
}

// Job is an account's claim on an extraction.
type Job struct {
	ID           string // UUIDv7, the jobId of the API
	Account      string
	ExtractionID string

	State          transcript.State
	Sequence       int // of the last transition, from 1
	Attempt        int
	Progress       *transcript.Progress
	MetadataStatus transcript.MetadataStatus
	Error          *transcript.Error // when State is failed
	TranscriptID   string            // when State is success

	// What the POST asked for.
	Format        transcript.Format
	OmitTimestamp bool
	SendMetadata  bool

	CreatedAt time.Time
	UpdatedAt time.Time // also moved by progress
	EndedAt   *time.Time
}

// Job returns the account's job, or ErrNotFound, also for another's job.
func (q queries) Job(ctx context.Context, account, id string) (*Job, error) { panic("unwritten") }

// RunningJob returns the account's running claim on the extraction, or ErrNotFound.
func (q queries) RunningJob(ctx context.Context, account, extractionID string) (*Job, error) {
	panic("unwritten")
}

// RunningClaims returns the ids of the claims on an extraction that have not ended.
func (q queries) RunningClaims(ctx context.Context, extractionID string) ([]string, error) {
	panic("unwritten")
}

// InsertJob stores a new claim and its first event (J1).
func (tx *Tx) InsertJob(ctx context.Context, j *Job) error { panic("unwritten") }

// JobEvent is one transition of a job. What a terminal one says beyond this is
// in the job's row.
type JobEvent struct {
	Sequence       int
	State          transcript.State
	Attempt        int
	MetadataStatus transcript.MetadataStatus
	At             time.Time
}

// JobEvents returns the transitions of a job after the given sequence, in order.
func (q queries) JobEvents(ctx context.Context, jobID string, after int) ([]JobEvent, error) {
	panic("unwritten")
}

// Change is a move of the state machine.
type Change struct {
	To transcript.State // for failed and cancelled the stage is ignored: it stays
	// Retry counts the attempt that has failed.
	Retry bool
	// Error goes with failed, TranscriptID with success.
	Error        *transcript.Error
	TranscriptID string
	// MetadataStatus, when not empty, becomes the claims' own.
	MetadataStatus transcript.MetadataStatus
}

// Move takes an extraction and all its running claims to another state: each
// claim gets its next sequence and an event, watchers of the claims and of the
// extraction are woken after the commit. A move that the transition table does
// not have is an error and changes nothing. The given extraction must have been
// read in this transaction with LockExtraction or inserted by it; its State and
// Attempt are brought up to date.
func (tx *Tx) Move(ctx context.Context, e *Extraction, c Change) error { panic("unwritten") }

// MoveJob takes a single claim to an end of its own (cancelled, failed) and
// leaves the extraction alone.
func (tx *Tx) MoveJob(ctx context.Context, j *Job, c Change) error { panic("unwritten") }

// SetProgress notes how far recognition has come, for every running claim of
// the extraction, and wakes their watchers. A progress smaller than the noted
// one is ignored. nil takes it away.
func (tx *Tx) SetProgress(ctx context.Context, extractionID string, p *transcript.Progress) error {
	panic("unwritten")
}

// Chunk is a piece of an extraction's audio.
type Chunk struct {
	ExtractionID string
	N            int     // from 0
	Start        float64 // seconds on the media clock
	Duration     float64 // seconds
	Silent       bool    // not to be recognised
	MediaKey     string  // the blob of its audio; "" when silent
	// Result is the recognition as JSON; nil until the chunk is done. It is
	// stored compressed.
	Result []byte
}

// InsertChunks stores the cut list of an extraction; chunks that exist already
// stay as they are.
func (tx *Tx) InsertChunks(ctx context.Context, chunks []Chunk) error { panic("unwritten") }

// Chunk returns one chunk, or ErrNotFound.
func (q queries) Chunk(ctx context.Context, extractionID string, n int) (*Chunk, error) {
	panic("unwritten")
}

// Chunks returns the cut list in order, with results.
func (q queries) Chunks(ctx context.Context, extractionID string) ([]Chunk, error) {
	panic("unwritten")
}

// FinishChunk stores the result of a chunk that has none and reports how many
// chunks of the extraction are still without one (silent ones count as done).
// first is false when the chunk already had a result, which then stays.
func (tx *Tx) FinishChunk(ctx context.Context, extractionID string, n int, result []byte) (first bool, left int, err error) {
	panic("unwritten")
}

// DeleteChunks removes the chunks of an extraction.
func (tx *Tx) DeleteChunks(ctx context.Context, extractionID string) error { panic("unwritten") }

// IdempotencyKey identifies a remembered request: (account, method, route
// pattern, key), contract 7.
type IdempotencyKey struct {
	Account, Method, Route, Key string
}

// Answer is what a remembered request was answered with.
type Answer struct {
	Status       int
	JobID        string // of the job that the answer speaks of, if any
	TranscriptID string // of the transcript that the answer carries, if any
	ErrorJSON    []byte // of a remembered 404
}

// Remembered is the state of an idempotency key.
type Remembered struct {
	// Taken: the key was free and is now this request's, until Finish or Free.
	Taken bool
	// Fingerprint of the first request; nil while it is not known yet.
	Fingerprint []byte
	// Answer of the first request; nil while it runs.
	Answer *Answer
}

// TakeKey takes a free key, or says who has it. A key is free when it was never
// taken, was taken more than 24 h ago, or its request has neither ended nor
// beaten (BeatKey) for 60 s.
func (s *Store) TakeKey(ctx context.Context, k IdempotencyKey, fingerprint []byte, now time.Time) (Remembered, error) {
	panic("unwritten")
}

// BeatKey says that the request that has taken the key still runs.
func (s *Store) BeatKey(ctx context.Context, k IdempotencyKey, now time.Time) error {
	panic("unwritten")
}

// FreeKey forgets a key whose request ended without a result worth remembering.
func (s *Store) FreeKey(ctx context.Context, k IdempotencyKey) error { panic("unwritten") }

// FinishKey remembers the answer, in the transaction that writes what it speaks of.
func (tx *Tx) FinishKey(ctx context.Context, k IdempotencyKey, fingerprint []byte, a Answer, now time.Time) error {
	panic("unwritten")
}

// Sweep removes what is no longer wanted: jobs, events, chunks and extractions
// that ended before jobsBefore, idempotency keys taken before keysBefore. It
// works in portions that do not hold up other writers.
func (s *Store) Sweep(ctx context.Context, jobsBefore, keysBefore time.Time) error {
	panic("unwritten")
}

// MediaInUse reports whether a running extraction still needs the blob.
func (q queries) MediaInUse(ctx context.Context, key string) (bool, error) { panic("unwritten") }
