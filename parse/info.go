package parse

import "bytes"

// info reads adjacent [INFO] and [WARNING] lines and the job id that follows them.
func (s *Scanner) info(l line, b []byte) {
	if isCancelled(b) {
		o := s.answer(KindCancelled, l.n)
		s.addText(o, b)
		s.done(o)
		return
	}
	o := s.answer(KindInfo, l.n)
	for {
		o.LastLine = l.n
		s.addText(o, b)
		s.message(o, b)
		n, ok := s.next()
		if !ok {
			break
		}
		l, b = n, trimRightSpace(n.b)
		if i := marker(b, "[INFO] "); (i != 0 || isBanner(b) || isExit(b) || isCancelled(b)) && !bytes.HasPrefix(b, []byte("[WARNING] ")) && !bytes.HasPrefix(b, []byte("Job ID: ")) {
			s.unread(n)
			break
		}
	}
	s.done(o)
}

func isCancelled(b []byte) bool {
	return bytes.HasSuffix(b, []byte("[INFO] Result retrieval cancelled."))
}

func (s *Scanner) message(o *Block, b []byte) {
	if r, ok := cutPrefix(b, "Job ID: "); ok {
		o.JobID = string(trimSpace(r))
		o.What = WhatSubmit
		return
	}
	m := b
	for _, p := range [...]string{"[INFO] ", "[WARNING] "} {
		m = bytes.TrimPrefix(m, []byte(p))
	}
	if len(o.Messages) < 1000 {
		o.Messages = append(o.Messages, string(m))
	}
	switch {
	case bytes.Contains(m, []byte("successfully submitted to the cluster")), bytes.HasPrefix(m, []byte("Submitting SQL update statement")):
		o.What = WhatSubmit
		if i := bytes.Index(m, []byte("Job ID: ")); i >= 0 {
			o.JobID = string(trimSpace(m[i+8:]))
		}
	case bytes.HasPrefix(m, []byte("Execute statement succeed")), bytes.HasPrefix(m, []byte("Complete execution")),
		bytes.Contains(m, []byte("has been set")), bytes.Contains(m, []byte("has been reset")), bytes.Contains(m, []byte("have been set")),
		bytes.Contains(m, []byte("has been created")), bytes.Contains(m, []byte("has been removed")):
		o.What = WhatDone
	}
}
