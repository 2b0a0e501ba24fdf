package service

import "golang.org/x/sys/unix"

// KeepPrivate keeps the environment, memory and descriptors of this process from
// all others of its user, the programs that it runs among them, also where the
// kernel has no Landlock. It writes no core dumps then, and only root debugs it: a
// library would not decide that for its host.
func KeepPrivate() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
