package service

import "golang.org/x/sys/unix"

// KeepPrivate hides the environment, memory and descriptors of this process from all other
// processes of its user, including the programs that it runs, even on a kernel without
// Landlock. The process then writes no core dumps, and only root can debug it. A library must
// not decide that for its host, so the main program does.
func KeepPrivate() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
