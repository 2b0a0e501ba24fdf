package settings

import (
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// exportAgain is when to ask for an export again while another one is written, in seconds.
const exportAgain = 30

// export sends everything that the visitor has as a ZIP file. The file is written whole
// before it is sent: a failure is a page, and a slow reader holds nothing of the database. An account
// has one such file at a time.
func (p accounts) export(r *web.Request) error {
	own := r.Visitor().Account
	if _, busy := p.exports.LoadOrStore(own, true); busy {
		return exportBusy(r, "account.exportUnderWay")
	}
	defer p.exports.Delete(own)
	f, err := os.CreateTemp("", "account-*.zip")
	if err != nil {
		return err
	}
	defer func() { _, _ = f.Close(), os.Remove(f.Name()) }() // what is left is in the folder of temporary files
	if err := p.writeExport(r, f); err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	r.W.Header().Set("Content-Type", "application/zip")
	r.W.Header().Set("Content-Disposition", `attachment; filename="account.zip"`)
	r.W.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if _, err := io.Copy(r.W, f); err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look complete
	}
	return nil
}

// writeExport writes one export at a time, because each may need a large file.
func (p accounts) writeExport(r *web.Request, f *os.File) error {
	if !p.exporting.TryLock() {
		return exportBusy(r, "account.exportBusy")
	}
	defer p.exporting.Unlock()
	return p.Export(r.Context(), r.Visitor().Account, f)
}

// exportBusy refuses an export until another one has ended.
func exportBusy(r *web.Request, text string) error {
	busy := r.Refuse(transcript.ServiceUnavailable, text)
	busy.RetryAfter = exportAgain
	return busy
}

// remove removes the visitor with the account, if the password is right. The user goes first,
// because a sign-in makes the account again.
func (p accounts) remove(r *web.Request) error {
	own := r.Visitor().Account
	if err := p.Visitors.RemoveSelf(r.W, r.Request, r.PostFormValue("password")); err != nil {
		status, trouble, err := signTrouble(r, err)
		if err != nil {
			return err
		}
		return r.Show(status, "account", accountPage{Trouble: trouble})
	}
	to := "/removed"
	if err := p.Remove(r.Context(), own); err != nil {
		p.Log.ErrorContext(r.Context(), "a user is removed, but not the whole account: \"website users remove --account\" goes on", "account", own, "err", err)
		to += "?part=1"
	}
	return r.Redirect(to)
}

// removed says that an account is removed.
func removed(r *web.Request) error {
	return r.Show(http.StatusOK, "removed", r.FormValue("part") == "")
}
