package fn

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var hashFunctions = []function{
	{name: "MD5", doc: "MD5(string)", forms: hashForms, result: orNull(value.CharType(32)), eval: evalDigest("MD5")},
	{name: "SHA1", doc: "SHA1(string)", forms: hashForms, result: orNull(value.CharType(40)), eval: evalDigest("SHA")},
	{name: "SHA224", doc: "SHA224(string)", forms: hashForms, result: orNull(value.CharType(56)), eval: evalDigest("SHA-224")},
	{name: "SHA256", doc: "SHA256(string)", forms: hashForms, result: orNull(value.CharType(64)), eval: evalDigest("SHA-256")},
	{name: "SHA384", doc: "SHA384(string)", forms: hashForms, result: orNull(value.CharType(96)), eval: evalDigest("SHA-384")},
	{name: "SHA512", doc: "SHA512(string)", forms: hashForms, result: orNull(value.CharType(128)), eval: evalDigest("SHA-512")},
	{name: "SHA2", doc: "SHA2(string, hashLength)", forms: []form{takes(stringLike, integer)}, result: orNull(value.VarcharType(128)), eval: evalSha2},
	{name: "TO_BASE64", doc: "TO_BASE64(string)", forms: hashForms, result: orNull(value.TString), eval: strict1(func(_ *Ctx, a value.Value) value.Value {
		return value.String(base64.StdEncoding.EncodeToString([]byte(a.Str())))
	})},
	{name: "FROM_BASE64", doc: "FROM_BASE64(string)", forms: hashForms, result: orNull(value.TString), eval: strict1(fromBase64)},
	{name: "HASH_CODE", doc: "internal: HASH_CODE(value)", forms: []form{takes(boolean), takes(numeric), takes(character), takes(timestamp), takes(timeOfDay), takes(date)}, result: orNull(value.TInt), eval: evalHashCode},
}

func digest(name, s string) string {
	b := []byte(s)
	switch name {
	case "MD5":
		d := md5.Sum(b)
		return hex.EncodeToString(d[:])
	case "SHA":
		d := sha1.Sum(b)
		return hex.EncodeToString(d[:])
	case "SHA-224":
		d := sha256.Sum224(b)
		return hex.EncodeToString(d[:])
	case "SHA-256":
		d := sha256.Sum256(b)
		return hex.EncodeToString(d[:])
	case "SHA-384":
		d := sha512.Sum384(b)
		return hex.EncodeToString(d[:])
	case "SHA-512":
		d := sha512.Sum512(b)
		return hex.EncodeToString(d[:])
	}
	return ""
}

func evalDigest(name string) builder {
	return strict1(func(_ *Ctx, a value.Value) value.Value { return value.String(digest(name, a.Str())) })
}

var sha2Names = map[int64]string{224: "SHA-224", 256: "SHA-256", 384: "SHA-384", 512: "SHA-512"}

// evalSha2 knows the lengths of SHA-2 as literals; others fail in Flink in ways of their own.
func evalSha2(c *compiler, call *rex.Call) (Eval, error) {
	lit, ok := call.Args[1].(*rex.Literal)
	if !ok || lit.V.IsNull() {
		return strict2(func(ctx *Ctx, a, n value.Value) value.Value {
			if name := sha2Names[n.Int()]; name != "" {
				return value.String(digest(name, a.Str()))
			}
			return ctx.Fail(unsupported.New("SHA2 with the computed length %d", n.Int()))
		})(c, call)
	}
	name := sha2Names[lit.V.Int()]
	if name == "" {
		return strict2(func(ctx *Ctx, _, _ value.Value) value.Value {
			return ctx.Fail(flinkerr.Runtime("java.lang.RuntimeException", "Unsupported algorithm."))
		})(c, call)
	}
	return strict2(func(_ *Ctx, a, _ value.Value) value.Value { return value.String(digest(name, a.Str())) })(c, call)
}

// fromBase64 takes padded and unpadded text; bad text fails with Java's words, which
// are known for a character outside the alphabet.
func fromBase64(c *Ctx, a value.Value) value.Value {
	s := a.Str()
	for i := range len(s) {
		ch := s[i]
		if !(ch >= 'A' && ch <= 'Z' || ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9' || ch == '+' || ch == '/' || ch == '=') {
			return c.Fail(flinkerr.Runtime("java.lang.IllegalArgumentException", "Illegal base64 character %x", ch))
		}
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		if b, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "=")); err != nil || strings.Contains(s, "=") {
			return c.Fail(unsupported.New("the error text of FROM_BASE64('%s')", s))
		}
	}
	return value.String(string(b))
}

// evalHashCode is the hash that Flink spreads distinct values by.
func evalHashCode(c *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	var f func(value.Value) int32
	switch t.Kind {
	case value.KindChar, value.KindVarchar:
		f = func(v value.Value) int32 {
			h := javaHash(v.Str())
			if h < 0 {
				return -h
			}
			return h
		}
	case value.KindBoolean:
		f = func(v value.Value) int32 {
			if v.Bool() {
				return 1231
			}
			return 1237
		}
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindDate, value.KindTime:
		f = func(v value.Value) int32 { return int32(v.Int()) }
	case value.KindBigInt:
		f = func(v value.Value) int32 { return foldLong(v.Int()) }
	case value.KindFloat:
		f = func(v value.Value) int32 { return int32(math.Float32bits(v.Float())) }
	case value.KindDouble:
		f = func(v value.Value) int32 { return foldLong(int64(math.Float64bits(v.Double()))) }
	default:
		return nil, unsupported.New("HASH_CODE of %s", t)
	}
	return strict1(func(_ *Ctx, a value.Value) value.Value { return value.Int(int64(f(a))) })(c, call)
}

// foldLong is Long.hashCode.
func foldLong(n int64) int32 { return int32(uint64(n) ^ uint64(n)>>32) }
