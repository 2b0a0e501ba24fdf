package visitor

import "net/http"

// rememberedFor is how long a browser remembers a choice, in seconds.
const rememberedFor = 365 * 24 * 60 * 60

// Remember keeps a choice of the visitor in the browser for a year, under the name of a cookie.
// The choice is no secret.
func (v *Visitors) Remember(w http.ResponseWriter, name, choice string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: choice, Path: "/", MaxAge: rememberedFor,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: v.o.HTTPS,
	})
}
