package storetest

import "syscall"

// memory returns a folder whose files are in memory, or "", for the folder of temporary
// files, where there is none or little room in it. Each test makes some hundred files
// for a database of its own and removes them, which on a disk takes longer than what
// most do with it.
func memory() string {
	const (
		dir  = "/dev/shm"
		room = 4 << 30
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return "" // what is on the disk is only slower
	}
	return dir
}
