package roster

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Person
	}{
		{"ids are text", "id,name\n0042,Ann Lee\n1e5,Bo\n", []Person{{ID: "0042", Name: "Ann Lee", Line: 2}, {ID: "1e5", Name: "Bo", Line: 3}}},
		{"a byte order mark, semicolons, quotes", "\ufeffID;Full name;E-mail\r\n\"007\";\"Lee; Ann\";a@x.edu\r\n", []Person{{ID: "007", Name: "Lee; Ann", Email: "a@x.edu", Line: 2}}},
		{"names apart, unknown columns, blank lines", "First name,Surname,ID number,Shoe size\nAnn,Lee,1,38\n,,,\n", []Person{{ID: "1", Name: "Ann Lee", First: "Ann", Last: "Lee", Line: 2}}},
		{"an export of Canvas", "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1\n    Points Possible,,,,,8\n\"Lee, Ann\",123,0042,alee,A,\n\"Student, Test\",9,,,A,\n",
			[]Person{{ID: "0042", Name: "Lee, Ann", CanvasID: "123", Login: "alee", Section: "A", Line: 3}}},
		{"a worksheet of Moodle", "Identifier,Full name,ID number,Email address\nParticipant 77,Ann Lee,0042,a@x.edu\n", []Person{{ID: "0042", Name: "Ann Lee", Email: "a@x.edu", MoodleID: "77", Line: 2}}},
		{"short lines", "id\tname\tlogin\n1\n", []Person{{ID: "1", Line: 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Read(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, r.People); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		says       string
	}{
		{"no id column", "name,email\nAnn,a@x\n", 1, "no column id"},
		{"an empty id", "id,name\n1,Ann\n,Bo\n", 3, "empty"},
		{"an id twice", "id\n1\n2\n1\n", 4, "stands in line 2"},
		{"two columns of one meaning", "id,Student ID\n1,2\n", 1, "both say"},
		{"a long line", "id,name\n1,Ann,x\n", 2, "3 fields"},
		{"empty", "", 0, "empty"},
		{"a header alone", "id,name\n", 0, "nobody"},
		{"an open quote", "id,name\n\"1,Ann\n", 0, "quote"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text))
			var e *Error
			if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(e.Error(), c.says) {
				t.Errorf("%v; want line %d and %q", err, c.line, c.says)
			}
		})
	}
}

func TestFind(t *testing.T) {
	r, err := Read(strings.NewReader("id,name,login,email,canvas_id,moodle_id\n" +
		"0042,Ann Lee,alee,ann@x.edu,501,9001\n" +
		"0043,Bo Chen,bchen,bo@x.edu,502,9002\n" +
		"0044,Bo Chen,bchen2,bo2@x.edu,503,9003\n" +
		"0045,José O'Neil,joneil,jo@x.edu,504,9004\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		n    Name
		want string
	}{
		{"the id", Name{Whole: "0042"}, "0042"},
		{"without its zeros it is another id", Name{Whole: "42"}, ""},
		{"the login in other case", Name{Whole: "ALee"}, "0042"},
		{"the address", Name{Whole: "bo@x.edu"}, "0043"},
		{"Canvas's number", Name{Whole: "chenbo_503_1", Person: "chenbo", CanvasID: "503"}, "0044"},
		{"Canvas's spelling of a name", Name{Whole: "leeann", Person: "leeann", CanvasID: "999"}, "0042"},
		{"Moodle's number", Name{Whole: "x", Person: "Participant", MoodleID: "9002"}, "0043"},
		{"the name", Name{Whole: "Ann Lee", Person: "Ann Lee"}, "0042"},
		{"a name of two people", Name{Whole: "Bo Chen", Person: "Bo Chen"}, ""},
		{"a name with an apostrophe", Name{Person: "oneiljosé", Whole: "oneiljosé"}, "0045"},
		{"an id among words", Name{Whole: "lab1-0043-final", Person: "lab1-0043-final"}, "0043"},
		{"two ids among words", Name{Whole: "0042_0043", Person: "0042_0043"}, ""},
		{"a platform's list", Name{Whole: "submission_7", ID: "0042"}, "0042"},
		{"nobody", Name{Whole: "zed", Person: "zed"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if p := r.Find(c.n); p != nil {
				got = p.ID
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
