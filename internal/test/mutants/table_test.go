package mutants_test

// mutant is a line of the service that is taken out or turned round, and the test that
// must fail then.
type mutant struct {
	file     string // below the root of the module
	old, new string // old stands in the file exactly once
	test     string // "server/account TestRevoke"
}

// table has the lines behind the rows of server/OWASP.md that matter most. A mutant must
// compile. A line that only saves time, or that a second line stands behind, is no mutant:
// no test can see it.
var table = []mutant{
	// API1 Broken Object Level Authorization
	{"server/internal/db/jobs.go", `Where("id = ? AND account = ?", id, account)`, `Where("id = ?", id)`, "server TestOwnersOfEveryRoute"},
	{"server/internal/db/jobs.go", `Where("id = ? AND account = ?", id, account)`, `Where("id = ?", id)`, "server/internal/db TestJobBelongsToItsAccount"},
	{"server/internal/db/batches.go", `Where("b.account = ? AND b.id = ?", account, id)`, `Where("b.id = ?", id)`, "server TestOwnersOfEveryRoute"},
	{"server/internal/db/uploads.go", `seen_at = ? WHERE id = ? AND account = ? RETURNING `, `seen_at = ? WHERE id = ? AND ? <> '' RETURNING `, "server TestOwnersOfEveryRoute"},
	{"server/internal/db/uploads.go", `DELETE FROM uploads WHERE id = ? AND account = ? RETURNING `, `DELETE FROM uploads WHERE id = ? AND ? <> '' RETURNING `, "server TestOwnersOfEveryRoute"},
	{"server/internal/db/uploads.go", `WHERE id = ? AND account = ? AND turn = ? AND`, `WHERE id = ? AND ? <> '' AND turn = ? AND`, "server/internal/db TestUploadBelongsToItsAccount"},
	{"server/internal/db/uploads.go", `AND turn = ? AND received = ? AND NOT complete`, `AND turn >= ? - 1000 AND received = ? AND NOT complete`, "server/internal/db TestUploadBelongsToTheLastRequest"},
	{"server/internal/db/uploads.go", `AND received = ? AND NOT complete`, `AND received >= ? - 1000 AND NOT complete`, "server/internal/db TestUploadBelongsToTheLastRequest"},
	{"server/internal/db/uploads.go", `Where("id = ? AND account = ? AND complete AND answer_kind = ''", id, account)`, `Where("id = ? AND complete AND answer_kind = ''", id)`, "server/internal/db TestUploadBelongsToItsAccount"},
	{"server/internal/db/recordings.go", `Where("account = ? AND external_id = ? AND until > ?", account, externalID, sqldb.Moment(at))`, `Where("external_id = ? AND until > ?", externalID, sqldb.Moment(at))`, "server TestOwnersOfEveryRoute"},
	{"server/internal/db/recordings.go", `w.delete(ctx, "account = ? AND external_id = ? AND until > ?", account, externalID, sqldb.Moment(at))`, `w.delete(ctx, "external_id = ? AND until > ?", externalID, sqldb.Moment(at))`, "server TestRecordingsOfOthers"},
	{"server/internal/db/recordings.go", `Where("account = ? AND external_id = ? AND until > ?", account, externalID, sqldb.Moment(at))`, `Where("account = ? AND external_id = ? AND ? IS NOT NULL", account, externalID, sqldb.Moment(at))`, "server/internal/db TestRecordingBelongsToItsAccount"},
	{"server/internal/api/saved/recordings.go", `if err := m.mayGoOn(ctx, r, file); err != nil {`, `if err := m.mayGoOn(ctx, r, file); err != nil && false {`, "server TestRecordingStopsWhenItMayNotGoOn"},
	{"server/internal/api/resource/pagetoken.go", `append([]any{account}, names...)`, `append([]any{}, names...)`, "server/internal/api/resource TestPageTokenOfAnotherList"},
	{"server/internal/delivery/endpoints.go", `Where("account = ? AND id = ?", account, id)`, `Where("id = ?", id)`, "server TestOwnersOfEveryRoute"},
	{"server/internal/mcp/tool.go", `if t.scope != "" && !c.principal.Can(t.scope) {`, `if false {`, "server TestMCPNeedsTheScopesOfTheRoutes"},
	{"server/internal/api/resource/pagetoken.go", `if l.Token(after) != token {`, `if false {`, "server/internal/api/resource TestPageTokenOfAnotherList"},
	{"server/internal/db/contents.go", " AND NOT t.edited\n", "\n", "server TestCorrectionIsTheAccountsAlone"},
	{"server/internal/db/librarysave.go", `Where("NOT library_row.edited")`, `Where("TRUE")`, "server/internal/corrections TestSharedTextIsMadeAgain"},
	{"server/internal/corrections/corrections.go", `case !is && (err != nil || next != nil):`, `case false:`, "server TestCorrectionOfAnotherText"},
	{"server/internal/corrections/corrections.go", `(row.Revision != read.Revision || row.TranscriptID != read.TranscriptID)`, `false`, "server/internal/corrections TestRandomCorrections"},
	{"server/internal/shares/shares.go", "AND account = ?1 AND row_id IN (\n\t\t\tSELECT id FROM library_rows WHERE account = ?1 AND", "AND row_id IN (\n\t\t\tSELECT id FROM library_rows WHERE", "server TestOwnersOfEveryRoute"},
	{"server/internal/edge/authenticator.go", `return p.Account == in.principal.Account && p.Can(scope)`, `return p.Can(scope)`, "server TestWhoMayStayWithASession"},

	// API2 Broken Authentication
	{"server/account/verify.go", `subtle.ConstantTimeCompare(digest(key), h.key.Hash) != 1`, `subtle.ConstantTimeCompare(nil, nil) != 1`, "server/account TestVerifyComparesTheSecret"},
	{"server/account/verify.go", `subtle.ConstantTimeCompare(digest(key), h.key.Hash) != 1`, `!h.recalled && subtle.ConstantTimeCompare(digest(key), h.key.Hash) != 1`, "server/account TestRememberedKeyIsComparedToo"},
	{"server/account/verify.go", `k.RevokedAt == nil && (`, `(`, "server/account TestVerifyRefuses"},
	{"server/account/verify.go", `(k.ExpiresAt == nil || at.Before(*k.ExpiresAt))`, `true`, "server/account TestVerifyRefuses"},
	{"server/account/memory.go", ` || h.changes != m.changes.Load()`, ``, "server/account TestRevoke"},
	{"server/account/secret.go", `return keyLike.ReplaceAllString(s, "$1…")`, `return s`, "server TestNoKeyInTheLog"},
	{"server/internal/edge/apikey.go", `case len(bearer)+len(header) > 1:`, `case false:`, "server TestCredentials"},
	{"server/internal/edge/apikey.go", `if prefix, found := keyInQuery(r); found {`, `if prefix, found := keyInQuery(r); found && prefix == "" {`, "server TestCredentials"},
	{"server/internal/edge/failedauth.go", `if w.Count <= maxFailures {`, `if true {`, "server TestFailuresAreCounted"},
	{"server/internal/edge/clientaddr.go", `if !contain(trusted, client) {`, `if false {`, "server/internal/edge TestClientAddress"},
	{"server/internal/edge/authenticator.go", "case errors.Is(err, ErrNoCredential), errors.Is(err, ErrInvalidCredential):\n\t\treturn false", "case errors.Is(err, ErrNoCredential), errors.Is(err, ErrInvalidCredential):\n\t\treturn true", "server TestWhoMayStayWithASession"},
	{"server/internal/api/jobs/events.go", `if !mayStay() {`, `if !mayStay() && false {`, "server/internal/api/jobs TestStreamEndsWithItsKey"},
	{"server/internal/edge/authenticator.go", `if bad := CheckPrincipal(p); bad != nil {`, `if bad := CheckPrincipal(p); bad != nil && false {`, "server TestNamesThatNoDatabaseTakes"},
	{"server/internal/edge/authenticator.go", `case !known && err == nil:`, `case false:`, "server TestOwnAuthenticator"},

	{"server/internal/shares/shares.go", `WHERE s.hash = ? AND s.expires_at > (SELECT ?)`, `WHERE s.hash = ? AND (SELECT ?) IS NOT NULL`, "server TestSharesEnd"},
	{"server/internal/shares/shares.go", `Hash: hashOf(token),`, `Hash: token,`, "server TestShareAddressesAreKeptNowhere"},
	{"server/internal/api/published/shared.go", `err = s.Checker.CheckAccount(r.Context(), owner)`, `_ = owner`, "server TestSharesEnd"},
	{"server/internal/api/published/shared.go", `Open: true, ByAddress: true,`, `Open: true,`, "server TestSharedTextsCountByAddress"},

	// API3 Broken Object Property Level Authorization
	{"server/internal/request/json.go", `is.cannotRead(transcript.IssueUnknown, name, "is not a property of this request")`, ``, "server TestJSONBodies"},
	{"server/internal/request/json.go", `case f.sent:`, `case false:`, "server TestJSONBodies"},
	{"server/internal/edge/middleware.go", `if crash := recover(); crash != nil {`, `if crash := any(nil); crash != nil {`, "server TestCrash"},

	{"server/internal/api/published/shared.go", `if t.Platform != transcript.Upload {`, `if true {`, "server TestSharedTextTellsNothingElse"},

	// API4 Unrestricted Resource Consumption
	{"server/internal/api/resource/eventstreamlimit.go", `c.open.Take(p.Account, p.Plan.EventStreams)`, `c.open.Take(p.Account, 1000)`, "server TestStreamsOfAnAccountAreLimited"},
	{"server/internal/edge/authenticate.go", `e.ofAccount(r.Context(), in.principal)`, `error(nil)`, "server TestRequestsUnderWayAreBounded"},
	{"server/internal/edge/route.go", `h = e.countingClients(h)`, ``, "server TestRequestsUnderWayAreBounded"},
	{"server/internal/edge/patience.go", `*p-patience(waited)`, `*p`, "server TestPatienceWithReaders"},
	{"server/internal/db/uploads.go", `if has.Count >= most.Count || most.Bytes >= 0`, `if most.Bytes >= 0`, "server/internal/db TestUnfinishedUploadsAreBounded"},
	{"server/internal/blobs/parts.go", `if !there || p.size <= 0 || p.size > size-at {`, `if !there || p.size <= 0 {`, "server/internal/blobs TestDamagedParts"},
	{"server/internal/edge/ratelimit.go", `if counted.Count > limit.Requests {`, `if false {`, "server TestWindowsThatAreUsedUp"},
	{"server/internal/underway/connections.go", `holds[conn.holder] < most`, `false`, "server/internal/underway TestConnectionsThatWait"},
	{"internal/run/process_linux.go", `{unix.RLIMIT_DATA, uint64(l.Memory), uint64(l.Memory)},`, ``, "internal/run TestMemoryLimit"},
	{"internal/run/process_linux.go", `{unix.RLIMIT_NOFILE, maxOpen, maxOpen},`, ``, "internal/run TestLimitsAreSet"},

	// API5 Broken Function Level Authorization
	{"server/internal/edge/authenticate.go", `if !p.Can(scope) {`, `if !p.Can(scope) && false {`, "server TestScopesOfEveryRoute"},

	// API6 Unrestricted Access to Sensitive Business Flows
	{"server/account/verify.go", `case acc.Suspended:`, `case false:`, "server TestSuspendedAndUnpaidAccounts"},
	{"server/account/verify.go", `case !plan.Paid:`, `case false:`, "server TestSuspendedAndUnpaidAccounts"},
	{"server/internal/api/resource/admit.go", `if a == nil {`, `if true {`, "server TestAdmit"},
	{"server/internal/throttle/circuit.go", `c.open(c.coolDown)`, `c.open(0)`, "server/internal/throttle TestCoolDowns"},

	// API7 Server Side Request Forgery
	{"transcript/site/link.go", `if l.scheme != "http" && l.scheme != "https" {`, `if false {`, "transcript/site TestDetectRefuses"},
	{"internal/egress/dial.go", `reason = g.judge(ctx, to, allowed)`, `reason = g.judge(ctx, to, true)`, "internal/egress TestRebinding"},
	{"internal/egress/dial.go", `if !allowed && !slices.Contains(g.ports, t.port) {`, `if false && !slices.Contains(g.ports, t.port) {`, "internal/egress TestPorts"},
	{"internal/egress/dial.go", `} else if has {`, `} else if has && false {`, "internal/egress TestDenied"},
	{"internal/egress/client.go", `if len(via) > maxRedirects {`, `if len(via) > 1000 {`, "internal/egress TestRedirectsEnd"},
	{"internal/egress/special.go", `"127.0.0.0/8", "loopback",`, ``, "internal/egress TestSpecialRanges"},
	{"internal/egress/special.go", "ip = ip.Unmap()\n\tranges", "ranges", "internal/egress TestSpecialRanges"},
	{"internal/run/landlock_linux.go", `Handled_access_net: l.network,`, `Handled_access_net: 0,`, "internal/run TestNothingButTheGuard"},
	{"internal/run/run.go", `append(env, pass.Env()...)`, `append(pass.Env(), env...)`, "internal/run TestNoWayRoundTheGuard"},

	// API8 Security Misconfiguration
	{"server/internal/edge/middleware.go", `"X-Content-Type-Options": {"nosniff"},`, ``, "server TestHeadersOfEveryAnswer"},
	{"server/internal/sqldb/sqlite.go", `os.OpenFile(path, flag, 0o600)`, `os.OpenFile(path, flag, 0o644)`, "server/internal/db TestFilesAreTheUsersOwn"},
	{"internal/run/run.go", `env := []string{"PATH=" + r.path, "LANG=C.UTF-8"}`, `env := append(os.Environ(), "PATH="+r.path, "LANG=C.UTF-8")`, "internal/run TestEnvironmentIsBuiltFromNothing"},
	{"internal/run/landlock_linux.go", `l.allow(rules, path, toRead)`, `l.allow(rules, path, toWrite)`, "internal/run TestFilesOfTheService"},
	{"internal/run/thread_linux.go", `return loadFilter(SyscallOptions{OwnPIDs: r.kernel.family == byOwner})`, `_ = loadFilter; return nil`, "internal/run TestEveryDoor"},
	{"internal/run/syscallfilter_linux.go", `bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}`, `allow`, "internal/run TestCallsOfAnotherArchitecture"},
	{"internal/run/syscallrules_linux.go", `"listen", "accept", "accept4",`, ``, "internal/run TestFilter"},
	{"internal/run/syscallrules_linux.go", `unless(2, all, []uint32{0, unix.IPPROTO_TCP}, sockets),`, ``, "internal/run TestArguments"},
	{"internal/run/thread_linux.go", `if err := closeInherited(); err != nil {`, `if err := error(nil); err != nil {`, "internal/run TestNothingInherited"},

	// API10 Unsafe Consumption of APIs
	{"server/engine/ffmpeg/ffmpeg.go", `"-format_whitelist", containers, `, ``, "server/engine/ffmpeg TestPlaylistsInDisguise"},
	{"server/engine/openai/openai.go", `return strings.ReplaceAll(s, key, "[key]")`, `return s`, "server/engine/openai TestKeyIsNeverShown"},
	{"server/engine/ytdlp/run.go", `u.Scheme != "http" && u.Scheme != "https" || `, ``, "server/engine/ytdlp TestNoLinks"},
	{"server/internal/disks/disks.go", `if free-max(bytes, 0) < d.MinFree {`, `if free < 0 {`, "server/internal/service TestRoomIsLookedAtBeforeWorkIsTaken"},
	{"internal/egress/pass.go", "c.pass.end(ErrLimit)\n\t\treturn 0, ErrLimit", "", "internal/egress TestByteLimit"},
}
