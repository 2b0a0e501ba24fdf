package engine

import "github.com/transcriptkit/transcriptkit/transcript"

// cures are in plain words, as callers of a service read them too.
var cures = map[transcript.Code]string{
	transcript.IPBlocked:     "Whoever runs the service can send it by a proxy that has another address, or let it visit the platform less often.",
	transcript.LoginRequired: "The service logs in nowhere: upload the recording instead.",
	transcript.POTokenRequired: "Platforms ask this of addresses that they distrust: whoever runs the service can install the latest release of yt-dlp, " +
		"or send it by a proxy that has another address.",
}

// Cure is what can be done about an error of an engine with this code, in whole
// sentences; empty where the code alone does not tell. Messages of errors with
// these codes end with it, but where it is not the platform that refuses.
func Cure(code transcript.Code) string { return cures[code] }

// CureUnconfined says what it takes to hold programs to the egress guard, in words that
// stand after "is not confined: ".
const CureUnconfined = "run the service on Linux 6.7 or newer with Landlock switched on (landlock in /sys/kernel/security/lsm; " +
	"a container's seccomp profile must let its system calls pass)"

// CureUnfiltered says what it takes to refuse programs the system calls that they do not
// need, in words that stand after a colon.
const CureUnfiltered = "run the service on Linux for amd64 or arm64 with CONFIG_SECCOMP_FILTER " +
	"(a container's seccomp profile must let the system call seccomp pass)"

// CureRoot says how a service that runs as root gets a user of its own.
const CureRoot = "run the service as a user of its own (User= in a unit of systemd, USER in a container's file)"
