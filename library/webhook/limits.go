package webhook

import "time"

// The limits of an account and of an endpoint.
const (
	// MaxEndpoints is how many endpoints an account may have.
	MaxEndpoints = 10
	// MaxURL is the length of the longest address, in characters.
	MaxURL = 2048
	// MaxDescription is the length of the longest description, in characters.
	MaxDescription = 256
	// MaxResend is how many deliveries a single call sends again.
	MaxResend = 1000
	// MaxBody is the size of the largest body of an event, in bytes.
	MaxBody = 20_000
	// PerSecond is the largest number of requests in a second that the service sends to
	// a host for one account, for all its endpoints together.
	PerSecond = 2
	// Retention is how long the service keeps a delivery that has ended.
	Retention = 30 * 24 * time.Hour
	// RotationOverlap is how long the old keys of an endpoint sign together with the
	// new ones.
	RotationOverlap = 24 * time.Hour
	// Tolerance is the largest difference between the time of a request and the
	// receiver's clock, in both directions.
	Tolerance = 5 * time.Minute
)
