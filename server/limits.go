package server

import "time"

// Limits bound the work that a process takes on. The zero value of each member is its
// default.
type Limits struct {
	// ASRWorkers is how many pieces of audio the process recognizes at the same time; 0: as
	// many as the machine has processors.
	ASRWorkers int
	// MaxMediaDuration is the longest media that the service accepts; 0: 12 h.
	MaxMediaDuration time.Duration
	// MinFreeDisk is how many bytes must stay free on each local disk to which the service
	// writes: the disks of its database, blobs and scratch files. With less free space the
	// service answers uploads and new work with 503 SERVICE_UNAVAILABLE, accepted work waits,
	// and /readyz says so; 0: 512 MiB. The disk must also have room for 1,000 more files.
	MinFreeDisk int64
	// BodyBytes is how many bytes of request bodies the process keeps in memory at the same
	// time. An account may have a quarter of them, or a single body of the largest size. The
	// service answers a body that does not fit with 503 SERVICE_UNAVAILABLE or 429 before it
	// reads more. Decoding a body takes six times its size. At least 16 MiB; 0: 40 MiB, which
	// suits a process that may have 1 GB. Uploaded files do not count: they go to the blobs as
	// they arrive.
	BodyBytes int64
}

const defaultMinFreeDisk = 512 << 20
