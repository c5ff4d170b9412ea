package result

import (
	"encoding/json"
	"testing"
)

func TestRawText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":          `"plain"`,
		"a\x00b":         `"a\u0000b"`,
		"quote\" back\\": `"quote\" back\\"`,
		"\x1b[31m":       `"\u001b[31m"`,
		"\u202e\u009b":   `"\u202e\u009b"`,
		"日本":             `"\u65e5\u672c"`,
		"👩":              `"\ud83d\udc69"`,
		"\xff\xfe":       `"\udcff\udcfe"`,
		"\xed\xb2\x80":   `"\udced\udcb2\udc80"`,
		"\xf0\x9f":       `"\udcf0\udc9f"`,
		"\ufffd":         `"\ufffd"`,
		"a\xc3":          `"a\udcc3"`,
		"\x7f":           `"\u007f"`,
	} {
		got, err := RawText(in).MarshalJSON()
		if err != nil || string(got) != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	var r RawText
	if err := json.Unmarshal([]byte(`"tab\t nl\n é / \/ \u00e9"`), &r); err != nil || r != "tab\t nl\n é / / é" {
		t.Errorf("%q %v", r, err)
	}
	if err := r.UnmarshalJSON([]byte(`5`)); err == nil {
		t.Error("a number is no text")
	}
}

func FuzzRawText(f *testing.F) {
	f.Add("a\xff\xed\xb2\x80👩\x00")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := json.Marshal(RawText(s))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b {
			if c < 0x20 || c > 0x7e {
				t.Fatalf("%q is not plain ASCII", b)
			}
		}
		var back RawText
		if err := json.Unmarshal(b, &back); err != nil || string(back) != s {
			t.Errorf("%q became %q, %v", s, back, err)
		}
	})
}

func TestOpt(t *testing.T) {
	type rec struct {
		A Bytes   `json:"a,omitzero"`
		B Bytes   `json:"b,omitzero"`
		C Float   `json:"c,omitzero"`
		R Refused `json:"r,omitzero"`
	}
	in := rec{A: Some(int64(0)), C: Some(1.5), R: RefusedPSS | RefusedCPU}
	b, err := json.Marshal(in)
	if err != nil || string(b) != `{"a":0,"c":1.5,"r":["cpu","pss"]}` {
		t.Fatalf("%s %v", b, err)
	}
	var back rec
	if err := json.Unmarshal(b, &back); err != nil || back != in {
		t.Errorf("%+v %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"a":null,"r":["new","arch"]}`), &back); err != nil || back.A.Known || back.R != RefusedArch {
		t.Errorf("%+v %v", back, err)
	}
}
