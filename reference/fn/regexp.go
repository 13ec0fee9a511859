package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var (
	strings2 = []form{takes(character, character)}
	strings3 = []form{takes(character, character, character)}
)

var regexpFunctions = []function{
	{name: "REGEXP", doc: "REGEXP(string1, string2)", forms: strings2, result: orNull(value.TBoolean), eval: evalRegexp},
	{name: "REGEXP_REPLACE", doc: "REGEXP_REPLACE(string1, string2, string3)", forms: strings3, result: orNull(value.TString), eval: evalRegexpReplace},
	{name: "REGEXP_EXTRACT", doc: "REGEXP_EXTRACT(string1, string2[, integer])", forms: []form{takes(character, character, integer), takes(character, character)}, result: always(value.TString), eval: evalRegexpExtract},
	{name: "REGEXP_COUNT", doc: "REGEXP_COUNT(str, regex)", check: inferred(params(arg("str", argString), arg("regex", argString))), result: always(value.TInt), eval: evalRegexpCount},
	{name: "REGEXP_INSTR", doc: "REGEXP_INSTR(str, regex)", check: inferred(params(arg("str", argString), arg("regex", argString))), result: always(value.TInt), eval: evalRegexpInstr},
	{name: "REGEXP_SUBSTR", doc: "REGEXP_SUBSTR(str, regex)", check: inferred(params(arg("str", argString), arg("regex", argString))), result: always(value.TString), eval: evalRegexpSubstr},
	{name: "REGEXP_EXTRACT_ALL", doc: "REGEXP_EXTRACT_ALL(str, regex[, extractIndex])", check: inferred(
		params(arg("str", argString), arg("regex", argString)),
		params(arg("str", argString), arg("regex", argString), arg("extractIndex", argInteger))), result: always(value.ArrayType(value.TString)), eval: evalRegexpExtractAll},
}

// cachedPattern compiles a function of a text (first argument) and a pattern
// (second), keeping the last pattern. bad gives the result for a pattern that Java
// refuses; without it that is the failure of the job.
func cachedPattern(c *compiler, call *rex.Call, compile func(*Ctx, []value.Value) (*javaRegex, error),
	f func(*Ctx, *javaRegex, []value.Value) value.Value, bad func() value.Value) (Eval, error) {
	var key string
	var re *javaRegex
	var keyErr error
	known := false
	return strictN(func(ctx *Ctx, vs []value.Value) value.Value {
		k := vs[1].Str()
		if call.Op == rex.SimilarTo && len(vs) == 3 {
			k += "\x00" + vs[2].Str()
		}
		if !known || k != key {
			re, keyErr = compile(ctx, vs)
			key, known = k, true
		}
		switch {
		case keyErr == errBadPattern && bad != nil:
			return bad()
		case keyErr == errBadPattern:
			return ctx.Fail(unsupported.New("the error text of the bad regular expression '%s'", vs[1].Str()))
		case keyErr != nil:
			return ctx.Fail(atRuntime(keyErr))
		}
		if err := re.check(vs[0].Str()); err != nil {
			return ctx.Fail(err)
		}
		return f(ctx, re, vs)
	})(c, call)
}

func compilePattern(_ *Ctx, vs []value.Value) (*javaRegex, error) {
	return compileJavaRegex(vs[1].Str())
}

func badIs(v value.Value) func() value.Value { return func() value.Value { return v } }

// evalRegexp: an empty or a bad pattern matches nothing.
func evalRegexp(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(_ *Ctx, re *javaRegex, vs []value.Value) value.Value {
		return value.Bool(vs[1].Str() != "" && re.find.MatchString(vs[0].Str()))
	}, badIs(value.Bool(false)))
}

func evalRegexpReplace(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(c *Ctx, re *javaRegex, vs []value.Value) value.Value {
		all, err := re.findAll(vs[0].Str())
		if err != nil {
			return c.Fail(err)
		}
		return value.String(replaceAll(vs[0].Str(), vs[2].Str(), all))
	}, badIs(value.Null))
}

// replaceAll is Matcher.replaceAll with a literal replacement.
func replaceAll(s, repl string, matches [][]int) string {
	var b strings.Builder
	last := 0
	for _, m := range matches {
		b.WriteString(s[last:m[0]])
		b.WriteString(repl)
		last = m[1]
	}
	b.WriteString(s[last:])
	return b.String()
}

// groupOf is a group of a match; a group that does not exist fails in Java, where
// the functions catch it.
func groupOf(m []int, s string, k int64) value.Value {
	if k < 0 || int(2*k) >= len(m) || m[2*k] < 0 {
		return value.Null
	}
	return value.String(s[m[2*k]:m[2*k+1]])
}

func evalRegexpExtract(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(_ *Ctx, re *javaRegex, vs []value.Value) value.Value {
		k := int64(0)
		if len(vs) == 3 {
			k = int64(int32(vs[2].Int()))
		}
		m := re.find.FindStringSubmatchIndex(vs[0].Str())
		if m == nil {
			return value.Null
		}
		return groupOf(m, vs[0].Str(), k)
	}, badIs(value.Null))
}

func evalRegexpCount(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(c *Ctx, re *javaRegex, vs []value.Value) value.Value {
		all, err := re.findAll(vs[0].Str())
		if err != nil {
			return c.Fail(err)
		}
		return value.Int(int64(len(all)))
	}, badIs(value.Null))
}

// evalRegexpInstr gives the place of the first match in UTF-16 units.
func evalRegexpInstr(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(_ *Ctx, re *javaRegex, vs []value.Value) value.Value {
		m := re.find.FindStringIndex(vs[0].Str())
		if m == nil {
			return value.Int(0)
		}
		return value.Int(int64(value.UTF16Len(vs[0].Str()[:m[0]])) + 1)
	}, badIs(value.Null))
}

func evalRegexpSubstr(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(_ *Ctx, re *javaRegex, vs []value.Value) value.Value {
		m := re.find.FindStringIndex(vs[0].Str())
		if m == nil {
			return value.Null
		}
		return value.String(vs[0].Str()[m[0]:m[1]])
	}, badIs(value.Null))
}

func evalRegexpExtractAll(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, compilePattern, func(c *Ctx, re *javaRegex, vs []value.Value) value.Value {
		k := int64(1)
		if len(vs) == 3 {
			k = vs[2].Int()
		}
		if k < 0 || k > int64(re.groups) {
			return value.Null
		}
		all, err := re.findAll(vs[0].Str())
		if err != nil {
			return c.Fail(err)
		}
		var out []value.Value
		for _, m := range all {
			out = append(out, groupOf(m, vs[0].Str(), k))
		}
		return value.Array(out)
	}, badIs(value.Null))
}

// patternFailure is a pattern that ends the job: Java's text for a bad one is long
// and shows the pattern with a mark.
func patternFailure(err error, pattern string) error {
	if err == errBadPattern {
		return unsupported.New("the error text of the bad regular expression '%s'", pattern)
	}
	return err
}
