package procstat

import "strings"

// DisplayTitle returns the title of a process as one line of text: the
// command line with spaces for the NULs between arguments or, where there is
// none (kernel threads, zombies, unreadable ones), comm in brackets. It is
// not safe for a terminal yet.
func (p *Proc) DisplayTitle() string {
	if p.TID != 0 {
		return p.Comm
	}
	if p.Detail.Title == "" {
		if p.Comm == "" {
			return "?"
		}
		return "[" + p.Comm + "]"
	}
	return p.titleLine()
}

// titleLine is made anew only when the title has changed.
func (p *Proc) titleLine() string {
	if p.lineOf != p.Detail.Title {
		p.lineOf = p.Detail.Title
		p.line = strings.ReplaceAll(p.lineOf, "\x00", " ")
	}
	return p.line
}

// MatchText is what patterns are matched against: the title or, when that is
// empty, comm.
func (p *Proc) MatchText() string {
	if p.Detail.Title == "" {
		return p.Comm
	}
	return p.titleLine()
}

// commMax is the kernel's TASK_COMM_LEN without the NUL.
const commMax = 15

// Program returns the name of the program: comm, completed from the title
// where the kernel cut it off. Where the process wrote its title into comm too,
// as setproctitle does, it is the title's first word, so that workers stay
// together whatever page they serve. All kernel threads go by one name.
func (p *Proc) Program() string {
	if p.Kernel {
		return "[kernel]"
	}
	if name, _, ok := strings.Cut(p.Comm, ": "); ok && name != "" {
		return name // "gunicorn: master", "tmux: server"
	}
	if strings.HasSuffix(p.Comm, ":") && len(p.Comm) > 1 {
		return p.Comm[:len(p.Comm)-1]
	}
	title := p.Detail.Title
	if word, _, ok := strings.Cut(p.Comm, " "); ok && word != "" && strings.HasPrefix(title, p.Comm) {
		return word // "django '/users/index/'"
	}
	if len(p.Comm) < commMax {
		return p.Comm
	}
	// A script's comm is its own file name, so look at the first two arguments.
	for range 2 {
		arg, rest, _ := strings.Cut(title, "\x00")
		title = rest
		name := arg[strings.LastIndexByte(arg, '/')+1:]
		if strings.HasPrefix(name, p.Comm) && !strings.ContainsAny(name, " \n\t") {
			return name
		}
	}
	return p.Comm
}
