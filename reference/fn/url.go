package fn

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var urlFunctions = []function{
	{name: "URL_ENCODE", doc: "URL_ENCODE(string)", check: modern1, result: always(value.TString), eval: strict1(urlEncode)},
	{name: "URL_DECODE", doc: "URL_DECODE(string)", check: modern1, result: always(value.TString), eval: strict1(urlDecode)},
	{name: "PARSE_URL", doc: "PARSE_URL(string1, string2[, string3])", forms: []form{takes(character, character), takes(character, character, character)}, result: always(value.TString), eval: strictN(parseURL)},
	{name: "INET_ATON", doc: "INET_ATON(string)", check: modern1, result: always(value.TBigInt), eval: strict1(inetAton)},
	{name: "INET_NTOA", doc: "INET_NTOA(number)", check: inferred(params(arg("", argInteger))), result: always(value.TString), eval: strict1(inetNtoa)},
}

// urlEncode is java.net.URLEncoder with UTF-8.
func urlEncode(_ *Ctx, v value.Value) value.Value {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(v.Str()) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(".-*_", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return value.String(b.String())
}

// urlDecode is java.net.URLDecoder with UTF-8; broken escapes give NULL.
func urlDecode(c *Ctx, v value.Value) value.Value {
	s := v.Str()
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '+':
			b.WriteByte(' ')
		case '%':
			if i+3 > len(s) {
				return value.Null
			}
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				if s[i+1] == '+' || !isASCII(s[i+1:i+3]) {
					return c.Fail(unsupported.New("URL_DECODE of the escape %s", s[i:i+3]))
				}
				return value.Null
			}
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	out := b.String()
	if !utf8.ValidString(out) {
		return c.Fail(unsupported.New("URL_DECODE of bytes that are not UTF-8"))
	}
	return value.String(out)
}

// javaURL is java.net.URL; nil parts are null.
type javaURL struct {
	protocol, host, path            string
	authority, userInfo, query, ref *string
}

var urlProtocol = regexp.MustCompile(`\A[A-Za-z][A-Za-z0-9.+-]*:`)

// readURL is new URL(spec); ok is false where that throws.
func readURL(spec string) (u javaURL, ok bool, err error) {
	spec = strings.TrimFunc(spec, func(r rune) bool { return r <= ' ' })
	if len(spec) >= 4 && strings.EqualFold(spec[:4], "url:") {
		spec = spec[4:]
	}
	m := urlProtocol.FindString(spec)
	if m == "" || strings.HasPrefix(spec, "#") {
		if i := strings.IndexAny(spec, ":/"); i >= 0 && spec[i] == ':' && !isASCII(spec[:i]) {
			return u, false, unsupported.New("PARSE_URL of the protocol %s", spec[:i])
		}
		return u, false, nil
	}
	u.protocol = strings.ToLower(strings.TrimSuffix(m, ":"))
	switch u.protocol {
	case "http", "https", "ftp", "file":
	case "jar", "mailto", "jrt", "jmod":
		return u, false, unsupported.New("PARSE_URL of the protocol %s", u.protocol)
	default:
		return u, false, nil
	}
	rest := spec[len(m):]
	if before, ref, found := strings.Cut(rest, "#"); found {
		rest, u.ref = before, &ref
	}
	if before, query, found := strings.Cut(rest, "?"); found {
		rest, u.query = before, &query
	}
	if strings.HasPrefix(rest, "//") && !strings.HasPrefix(rest, "////") {
		authority, path := rest[2:], ""
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, path = authority[:i], authority[i:]
		}
		if ok, err := u.setAuthority(authority); !ok || err != nil {
			return u, false, err
		}
		rest = path
	}
	u.path = rest
	return u, true, nil
}

// setAuthority parts user@host:port.
func (u *javaURL) setAuthority(authority string) (bool, error) {
	u.authority = &authority
	host := authority
	switch strings.Count(authority, "@") {
	case 0:
	case 1:
		user, h, _ := strings.Cut(authority, "@")
		u.userInfo, host = &user, h
	default:
		return true, nil
	}
	if strings.HasPrefix(host, "[") {
		return false, unsupported.New("PARSE_URL of an IPv6 address")
	}
	name, port, hasPort := strings.Cut(host, ":")
	u.host = name
	if !hasPort || port == "" {
		return true, nil
	}
	n, err := strconv.ParseInt(port, 10, 32)
	if err != nil && !isASCII(port) {
		return false, unsupported.New("PARSE_URL of the port %s", port)
	}
	return err == nil && n >= -1, nil
}

func textOrNull(s *string) value.Value {
	if s == nil {
		return value.Null
	}
	return value.String(*s)
}

func (u *javaURL) part(name string) value.Value {
	switch name {
	case "HOST":
		return value.String(u.host)
	case "PATH":
		return value.String(u.path)
	case "QUERY":
		return textOrNull(u.query)
	case "REF":
		return textOrNull(u.ref)
	case "PROTOCOL":
		return value.String(u.protocol)
	case "FILE":
		if u.query != nil {
			return value.String(u.path + "?" + *u.query)
		}
		return value.String(u.path)
	case "AUTHORITY":
		return textOrNull(u.authority)
	case "USERINFO":
		return textOrNull(u.userInfo)
	}
	return value.Null
}

func parseURL(c *Ctx, vs []value.Value) value.Value {
	u, ok, err := readURL(vs[0].Str())
	switch {
	case err != nil:
		return c.Fail(err)
	case !ok:
		return value.Null
	case len(vs) == 2:
		return u.part(vs[1].Str())
	case vs[1].Str() != "QUERY" || u.query == nil:
		return value.Null
	}
	prefix := vs[2].Str() + "="
	if strings.ContainsRune(prefix, '&') {
		return c.Fail(unsupported.New("PARSE_URL with & in the key"))
	}
	pairs := strings.Split(*u.query, "&")
	if i := slices.IndexFunc(pairs, func(p string) bool { return strings.HasPrefix(p, prefix) }); i >= 0 {
		return value.String(strings.TrimPrefix(pairs[i], prefix))
	}
	return value.Null
}

// inetAton: one to four numbers up to 255, of which the last is the lowest byte.
func inetAton(_ *Ctx, v value.Value) value.Value {
	parts := strings.Split(v.Str(), ".")
	if len(parts) > 4 {
		return value.Null
	}
	out := int64(0)
	for i, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return value.Null
		}
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil || n > 255 {
			return value.Null
		}
		shift := 24 - 8*i
		if i == len(parts)-1 {
			shift = 0
		}
		out |= n << shift
	}
	return value.Int(out)
}

func inetNtoa(_ *Ctx, v value.Value) value.Value {
	n := v.Int()
	if n < 0 || n > math.MaxUint32 {
		return value.Null
	}
	var b []byte
	for shift := 24; shift >= 0; shift -= 8 {
		b = strconv.AppendInt(b, n>>shift&255, 10)
		if shift > 0 {
			b = append(b, '.')
		}
	}
	return value.String(string(b))
}
