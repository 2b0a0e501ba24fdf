//go:build !linux

package service

// KeepPrivate does nothing: on these systems no files show a process's memory.
func KeepPrivate() error { return nil }
