package storetest

import "syscall"

// memory returns a folder whose files are in memory. If there is no such folder, or if it has
// too little space, memory returns "", which means the folder of temporary files. Each test
// makes and removes some hundred files for its database. On a disk, this takes longer than
// the rest of most tests.
func memory() string {
	const (
		dir  = "/dev/shm"
		room = 4 << 30
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return "" // a disk is only slower
	}
	return dir
}
