package page

import (
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// exportAgain is when to ask for an export again while another one is written, in seconds.
const exportAgain = 30

// exportAccount sends everything that the visitor has as a ZIP file. The file is written whole
// before it is sent: a failure is a page, and a slow reader holds nothing of the database. An account
// has one such file at a time.
func (p *pages) exportAccount(w http.ResponseWriter, r *http.Request) error {
	own := visitor.From(r.Context()).Account
	if _, busy := p.exports.LoadOrStore(own, true); busy {
		return p.exportBusy("account.exportUnderWay")
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
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="account.zip"`)
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if _, err := io.Copy(w, f); err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look complete
	}
	return nil
}

// writeExport writes one export at a time, because each may need a large file.
func (p *pages) writeExport(r *http.Request, f *os.File) error {
	if !p.exporting.TryLock() {
		return p.exportBusy("account.exportBusy")
	}
	defer p.exporting.Unlock()
	return p.Export(r.Context(), visitor.From(r.Context()).Account, f)
}

// exportBusy refuses an export until another one has ended.
func (p *pages) exportBusy(text string) error {
	busy := transcript.Errorf(transcript.ServiceUnavailable, "%s", p.strings.text(text))
	busy.RetryAfter = exportAgain
	return busy
}

// removeAccount removes the visitor with the account, if the password is right. The user goes first,
// because a sign-in makes the account again.
func (p *pages) removeAccount(w http.ResponseWriter, r *http.Request) error {
	own := visitor.From(r.Context()).Account
	if err := p.Visitors.RemoveSelf(w, r, r.PostFormValue("password")); err != nil {
		status, trouble, err := p.signTrouble(w, err)
		if err != nil {
			return err
		}
		return p.show(w, r, status, "account", accountPage{Trouble: trouble})
	}
	to := "/removed"
	if err := p.Remove(r.Context(), own); err != nil {
		p.Log.ErrorContext(r.Context(), "a user is removed, but not the whole account: \"website users remove --account\" goes on", "account", own, "err", err)
		to += "?part=1"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// removed says that an account is removed.
func (p *pages) removed(w http.ResponseWriter, r *http.Request) error {
	return p.show(w, r, http.StatusOK, "removed", r.FormValue("part") == "")
}
