package sqldb

import "syscall"

// ownGroup puts a program into a process group of its own. The program ends with this process, even
// when this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
