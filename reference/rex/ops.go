package rex

// The operators of the language, one variable each: compare by pointer. Functions
// that are called by name (UPPER, ROUND, SUM, ...) are in package fn.
var (
	Plus       = &Op{Name: "+", Syntax: Infix}
	Minus      = &Op{Name: "-", Syntax: Infix}
	Times      = &Op{Name: "*", Syntax: Infix}
	Divide     = &Op{Name: "/", Syntax: Infix}
	DivideInt  = &Op{Name: "/INT", Syntax: Infix}
	UnaryMinus = &Op{Name: "-", Syntax: Prefix}
	UnaryPlus  = &Op{Name: "+", Syntax: Prefix}

	Eq = &Op{Name: "=", Syntax: Infix}
	Ne = &Op{Name: "<>", Syntax: Infix}
	Lt = &Op{Name: "<", Syntax: Infix}
	Le = &Op{Name: "<=", Syntax: Infix}
	Gt = &Op{Name: ">", Syntax: Infix}
	Ge = &Op{Name: ">=", Syntax: Infix}
	// IsDistinctFrom and its negation compare NULLs as values.
	IsDistinctFrom    = &Op{Name: "IS DISTINCT FROM", Syntax: Infix}
	IsNotDistinctFrom = &Op{Name: "IS NOT DISTINCT FROM", Syntax: Infix}

	// And and Or take two or more arguments.
	And = &Op{Name: "AND", Syntax: Infix}
	Or  = &Op{Name: "OR", Syntax: Infix}
	Not = &Op{Name: "NOT", Syntax: Prefix}

	IsNull     = &Op{Name: "IS NULL", Syntax: Postfix}
	IsNotNull  = &Op{Name: "IS NOT NULL", Syntax: Postfix}
	IsTrue     = &Op{Name: "IS TRUE", Syntax: Postfix}
	IsNotTrue  = &Op{Name: "IS NOT TRUE", Syntax: Postfix}
	IsFalse    = &Op{Name: "IS FALSE", Syntax: Postfix}
	IsNotFalse = &Op{Name: "IS NOT FALSE", Syntax: Postfix}

	// Case is CASE(cond1, value1, ..., else): simple CASE and NULLIF become it.
	Case = &Op{Name: "CASE"}
	// Cast and TryCast convert to the type of the call.
	Cast    = &Op{Name: "CAST"}
	TryCast = &Op{Name: "TRY_CAST"}
	// Reinterpret reads an interval or timestamp as its number of milliseconds or months.
	Reinterpret = &Op{Name: "Reinterpret"}
	// Power is POWER, which the square root of STDDEV is turned into.
	Power = &Op{Name: "POWER"}
	// Search is SEARCH(x, Sarg[...]).
	Search = &Op{Name: "SEARCH"}

	// Like and SimilarTo take an optional third argument, the escape character.
	Like      = &Op{Name: "LIKE"}
	SimilarTo = &Op{Name: "SIMILAR TO"}
	Concat    = &Op{Name: "||", Syntax: Infix}

	// Item is x[i] of an ARRAY, x[k] of a MAP.
	Item = &Op{Name: "ITEM"}
	// Array, Map and Row construct composites from their arguments.
	Array = &Op{Name: "ARRAY"}
	Map   = &Op{Name: "MAP"}
	Row   = &Op{Name: "ROW"}

	// Subquery operators (of SubQuery).
	In          = &Op{Name: "IN"}
	Exists      = &Op{Name: "EXISTS"}
	ScalarQuery = &Op{Name: "$SCALAR_QUERY"}

	// GroupTumble, GroupHop and GroupSession are the group windows of GROUP BY:
	// $TUMBLE(time, size), $HOP(time, slide, size), $SESSION(time, gap).
	GroupTumble  = &Op{Name: "$TUMBLE"}
	GroupHop     = &Op{Name: "$HOP"}
	GroupSession = &Op{Name: "$SESSION"}
	// Their properties, over the group key that holds the window.
	TumbleStart     = &Op{Name: "TUMBLE_START"}
	TumbleEnd       = &Op{Name: "TUMBLE_END"}
	TumbleRowtime   = &Op{Name: "TUMBLE_ROWTIME"}
	TumbleProctime  = &Op{Name: "TUMBLE_PROCTIME"}
	HopStart        = &Op{Name: "HOP_START"}
	HopEnd          = &Op{Name: "HOP_END"}
	HopRowtime      = &Op{Name: "HOP_ROWTIME"}
	HopProctime     = &Op{Name: "HOP_PROCTIME"}
	SessionStart    = &Op{Name: "SESSION_START"}
	SessionEnd      = &Op{Name: "SESSION_END"}
	SessionRowtime  = &Op{Name: "SESSION_ROWTIME"}
	SessionProctime = &Op{Name: "SESSION_PROCTIME"}

	// Navigation in MATCH_RECOGNIZE: the row of a pattern variable, n rows off.
	MatchFirst = &Op{Name: "FIRST"}
	MatchLast  = &Op{Name: "LAST"}
	MatchPrev  = &Op{Name: "PREV"}
	MatchNext  = &Op{Name: "NEXT"}
	// MatchFinal and MatchRunning wrap measures.
	MatchFinal    = &Op{Name: "FINAL"}
	MatchRunning  = &Op{Name: "RUNNING"}
	Classifier    = &Op{Name: "CLASSIFIER"}
	MatchRowtime  = &Op{Name: "MATCH_ROWTIME"}
	MatchProctime = &Op{Name: "MATCH_PROCTIME"}

	// SomeLt is x < SOME (query), and so on; = SOME is In.
	SomeNe = &Op{Name: "<> SOME"}
	SomeLt = &Op{Name: "< SOME"}
	SomeLe = &Op{Name: "<= SOME"}
	SomeGt = &Op{Name: "> SOME"}
	SomeGe = &Op{Name: ">= SOME"}

	// Descriptor is DESCRIPTOR(a, b).
	Descriptor = &Op{Name: "DESCRIPTOR"}
	// Default stands for an argument that was left out.
	Default = &Op{Name: "DEFAULT"}
)
