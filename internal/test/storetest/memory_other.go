//go:build !linux

package storetest

// memory returns "": the folder of temporary files.
func memory() string { return "" }
