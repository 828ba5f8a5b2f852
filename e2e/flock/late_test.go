package flock_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/testkit/claudecli"
)

// lateName is this test binary in the part of a client on a machine where everything is slow to get ready: it starts the real client
// and keeps back every answer about the region tools until it was told three more times that they are not there yet.
const lateName = "late-client"

// lateClient puts the slow client beside a file that names the real one.
func (s *stage) lateClient() claudecli.Client {
	s.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	c := claudecli.Client{Version: s.client.Version, Path: filepath.Join(s.gates, lateName)}
	if out, err := exec.Command("cp", exe, c.Path).CombinedOutput(); err != nil {
		s.Fatalf("copy test binary: %v: %s", err, out)
	}
	s.write(c.Path+".real", s.client.Path)
	return c
}

// polls counts how often the client has told the state of its servers.
type polls struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
	over bool
	ours map[string]bool // requests of the client about the tools, calls apart
}

func late() int {
	real, err := os.ReadFile(os.Args[0] + ".real")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(string(real), os.Args[1:]...)
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn != nil || errOut != nil {
		return 1
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := &polls{ours: map[string]bool{}}
	p.cond = sync.NewCond(&p.mu)
	go p.feed(in)
	p.watch(bufio.NewReader(out))
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// watch passes on what the client says.
func (p *polls) watch(r *bufio.Reader) {
	for {
		line, err := r.ReadBytes('\n')
		var l struct {
			Type      string `json:"type"`
			RequestID string `json:"request_id"`
			Request   struct {
				Subtype string `json:"subtype"`
				Message struct {
					Method string `json:"method"`
				} `json:"message"`
			} `json:"request"`
		}
		_ = json.Unmarshal(line, &l) // what is no JSON is passed on
		p.mu.Lock()
		if l.Type == "control_request" && l.Request.Subtype == "mcp_message" && l.Request.Message.Method != "tools/call" {
			p.ours[l.RequestID] = true
		}
		if l.Type == "control_response" && strings.Contains(string(line), `"mcpServers":[`) {
			p.n++
		}
		p.over = p.over || err != nil
		p.mu.Unlock()
		p.cond.Broadcast()
		if _, werr := os.Stdout.Write(line); werr != nil || err != nil {
			return
		}
	}
}

// feed passes on what the client is told; an answer about the tools waits, apart from the rest.
func (p *polls) feed(in io.WriteCloser) {
	var write sync.Mutex
	pass := func(line []byte) {
		write.Lock()
		defer write.Unlock()
		_, _ = in.Write(line)
	}
	var held sync.WaitGroup
	r := bufio.NewReader(os.Stdin)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			held.Wait()
			_ = in.Close()
			return
		}
		var l struct {
			Response struct {
				RequestID string `json:"request_id"`
			} `json:"response"`
		}
		_ = json.Unmarshal(line, &l)
		p.mu.Lock()
		about, from := p.ours[l.Response.RequestID], p.n
		p.mu.Unlock()
		if !about {
			pass(line)
			continue
		}
		held.Go(func() {
			p.mu.Lock()
			for p.n < from+3 && !p.over {
				p.cond.Wait()
			}
			p.mu.Unlock()
			pass(line)
		})
	}
}
