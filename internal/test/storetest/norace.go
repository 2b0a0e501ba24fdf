//go:build !race

package storetest

// underDetector is 1 under the race detector, otherwise 0.
const underDetector = 0
