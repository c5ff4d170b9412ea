package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	frames := []Frame{
		{Hello, 0, []byte(`{"kernel":"6.1"}`)},
		{Stdout, 1, []byte{0, 1, 2, 0xff, 'w', 'V'}},
		{Stderr, 65535, bytes.Repeat([]byte{'x'}, MaxPayload)},
		{End, 0, []byte{}},
	}
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for _, f := range frames {
		if err := w.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range frames {
		got, err := Read(&buf)
		if err != nil {
			t.Fatal(err)
		}
		if got.Type != want.Type || got.Job != want.Job || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%v frame of job %d changed on the way", want.Type, want.Job)
		}
	}
	if _, err := Read(&buf); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestStreamSplits(t *testing.T) {
	var buf bytes.Buffer
	data := bytes.Repeat([]byte("0123456789"), 20000)
	if n, err := NewWriter(&buf).Stream(Stdout, 3).Write(data); err != nil || n != len(data) {
		t.Fatal(n, err)
	}
	var got []byte
	frames := 0
	for {
		f, err := Read(&buf)
		if err != nil {
			break
		}
		got = append(got, f.Data...)
		frames++
	}
	if !bytes.Equal(got, data) || frames != 4 {
		t.Errorf("%d bytes in %d frames, want %d in 4", len(got), frames, len(data))
	}
}

func TestSharedWriter(t *testing.T) {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	var wg sync.WaitGroup
	for job := range 8 {
		wg.Go(func() {
			s := w.Stream(Stdout, job)
			for range 100 {
				if _, err := s.Write(bytes.Repeat([]byte{byte(job)}, 50)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for n := 0; ; n++ {
		f, err := Read(&buf)
		if errors.Is(err, io.EOF) {
			if n != 800 {
				t.Errorf("%d frames, want 800", n)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Data, bytes.Repeat([]byte{byte(f.Job)}, 50)) {
			t.Fatalf("frame of job %d holds % x", f.Job, f.Data)
		}
	}
}

// TestDamage flips every byte of a frame in turn: none may go unnoticed.
func TestDamage(t *testing.T) {
	var buf bytes.Buffer
	if err := NewWriter(&buf).Write(Frame{Stdout, 7, []byte("some payload")}); err != nil {
		t.Fatal(err)
	}
	good := buf.Bytes()
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if _, err := Read(bytes.NewReader(bad)); !errors.Is(err, ErrBroken) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
	}
	for n := 1; n < len(good); n++ {
		if _, err := Read(bytes.NewReader(good[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
	}
}

func TestOutOfRange(t *testing.T) {
	w := NewWriter(io.Discard)
	for _, f := range []Frame{{Type: 0}, {Type: last}, {Type: Stdout, Job: -1}, {Type: Stdout, Job: 65536},
		{Type: Stdout, Data: make([]byte, MaxPayload+1)}} {
		if err := w.Write(f); err == nil {
			t.Errorf("%v, job %d, %d bytes: accepted", f.Type, f.Job, len(f.Data))
		}
	}
}

func TestTypeNames(t *testing.T) {
	for ty := Hello; ty < last; ty++ {
		if s := ty.String(); s == "" || strings.HasPrefix(s, "type") {
			t.Errorf("type %d has no name", byte(ty))
		}
	}
	if s := Type(99).String(); s != "type 99" {
		t.Error(s)
	}
}

func FuzzRead(f *testing.F) {
	var buf bytes.Buffer
	_ = NewWriter(&buf).Write(Frame{Stdout, 7, []byte("some payload")})
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		for {
			if _, err := Read(r); err != nil {
				return
			}
		}
	})
}
