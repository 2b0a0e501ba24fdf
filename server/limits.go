package server

import "time"

// Limits limit the work that a process takes on. A member that is 0 has its default.
type Limits struct {
	// ASRWorkers is how many pieces of audio the process recognizes at the same time. 0
	// means the number of the machine's processors.
	ASRWorkers int
	// MaxMediaDuration is the longest recording that the service accepts. 0 means 12 h.
	MaxMediaDuration time.Duration
	// MinFreeDisk is how many bytes must stay free on each local disk to which the
	// service writes: the disks of its database, blobs and scratch files. 0 means 512
	// MiB. The disk must also have room for 1,000 more files. With less space, the
	// service answers uploads and new work with 503 SERVICE_UNAVAILABLE, accepted work
	// waits, and /readyz reports it.
	MinFreeDisk int64
	// BodyBytes is how many bytes of request bodies the process keeps in memory at the
	// same time: at least 16 MiB. 0 means 40 MiB, which suits a process with 1 GB of
	// memory. One account may use a quarter of BodyBytes, or have a single body of the
	// largest size. If a body does not fit, the service reads no more of it and answers
	// 503 SERVICE_UNAVAILABLE or 429. To decode a body takes six times its size.
	// Uploaded files do not count: the service writes them to the blobs as they arrive.
	BodyBytes int64
}

const defaultMinFreeDisk = 512 << 20
