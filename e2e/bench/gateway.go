package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Sizes of the gateway's measurement.
const (
	gatewayRounds   = 15     // of all programs in turn
	gatewayRequests = 320    // per program and round, by one client or by many together
	gatewayCrowd    = 32     // clients at once
	gatewayStreams  = 10_000 // streams of which none may be cut off
	gatewayBody     = 4 << 10
	gatewayToken    = "worker-token-of-the-bench"
)

// gatewayTable measures what the gateway adds to the time to the first byte, against a copy loop written by hand, and counts streams
// that it cuts off. Endpoint, proxies and clients are processes of their own; the endpoint answers at once, before it has read the
// request.
func gatewayTable(w *world, o options, r *report) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	copier := w.path("floor-gwcopy")
	if err := w.run(".", append(os.Environ(), "CGO_ENABLED=0"), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", copier, "./e2e/bench/floors/gwcopy"); err != nil {
		return err
	}
	api, address, err := startChild(w, self, "endpoint-for-gateway")
	if err != nil {
		return err
	}
	defer stopChild(api)
	ours, theirs := w.path("gw.sock"), w.path("copy.sock")
	gw, _, err := startChild(w, self, "gateway", ours, address)
	if err != nil {
		return err
	}
	defer stopChild(gw)
	loop := exec.Command(copier, theirs, address)
	if err := loop.Start(); err != nil {
		return err
	}
	defer stopChild(loop)
	if err := awaitSocket(theirs); err != nil {
		return err
	}
	for _, kind := range []struct{ name, query string }{{"streams", "mode=stream"}, {"429 and 529 at once", "mode=busy"}} {
		for _, clients := range []int{1, gatewayCrowd} {
			if err := compareGateways(r, address, ours, theirs, kind.name, kind.query, clients, o); err != nil {
				return err
			}
		}
	}
	return countStreams(r, ours)
}

// compareGateways measures the three ways side by side.
func compareGateways(r *report, address, ours, theirs, name, query string, clients int, o options) error {
	direct, floor, gw := &program{name: "direct"}, &program{name: "hand-written copy"}, &program{name: "gateway"}
	ways := []struct {
		p *program
		c *http.Client
	}{{direct, gatewayClient("tcp", strings.TrimPrefix(address, "http://"))}, {floor, gatewayClient("unix", theirs)}, {gw, gatewayClient("unix", ours)}}
	requests := max(gatewayRequests*o.rounds/200, 50)
	for round := range gatewayRounds + 1 {
		rand.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, way := range ways {
			times, err := firstBytes(way.c, query, clients, requests)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", way.p.name, name, err)
			}
			if round > 0 { // the first warms up
				way.p.times = append(way.p.times, times...)
			}
		}
	}
	for _, way := range ways {
		way.c.CloseIdleConnections()
	}
	r.title("Gateway: time to the first byte, %s, %d at once, body of %d KB", name, clients, gatewayBody>>10)
	r.times(direct, floor, gw)
	added := func(p *program, q float64) float64 { return float64(p.quantile(q) - direct.quantile(q)) }
	got := min(added(gw, 0.5)/added(floor, 0.5), added(gw, 0.1)/added(floor, 0.1)) // noise only adds time
	r.bound(fmt.Sprintf("gateway, added time to first byte / copy loop: %s, %d at once", name, clients), got, 1.3, 1.1)
	return nil
}

// firstBytes makes requests by a number of clients together and measures each to the first byte of its answer.
func firstBytes(c *http.Client, query string, clients, requests int) ([]time.Duration, error) {
	times := make([][]time.Duration, clients)
	errs := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for range max(requests/clients, 5) {
				took, _, err := oneStream(c, query)
				if err != nil {
					errs[i] = err
					return
				}
				times[i] = append(times[i], took)
			}
		})
	}
	wg.Wait()
	var all []time.Duration
	for _, t := range times {
		all = append(all, t...)
	}
	return all, errors.Join(errs...)
}

// countStreams wants whole streams, also behind a 429 or 529 that came first, from one client and from many.
func countStreams(r *report, socket string) error {
	c := gatewayClient("unix", socket)
	defer c.CloseIdleConnections()
	want := gatewayStream()
	var cut, number atomic.Int64
	start := time.Now()
	for half, clients := range []int{1, gatewayCrowd} {
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				for {
					n := number.Add(1)
					if n > int64(half+1)*gatewayStreams/2 {
						number.Add(-1)
						return
					}
					query := "mode=stream"
					if n%100 == 0 { // refused at first
						query = fmt.Sprintf("mode=once&n=%d", n)
					}
					if _, body, err := oneStream(c, query); err != nil || string(body) != want {
						cut.Add(1)
					}
				}
			})
		}
		wg.Wait()
	}
	r.title("Gateway: %d whole streams in %.1f s, every hundredth refused at first; %d cut off", number.Load(), time.Since(start).Seconds(), cut.Load())
	r.count(fmt.Sprintf("gateway, streams cut off of %d", number.Load()), cut.Load(), 0)
	return nil
}

func oneStream(c *http.Client, query string) (first time.Duration, body []byte, err error) {
	req, err := http.NewRequest(http.MethodPost, "http://devflow.invalid/v1/messages?"+query, strings.NewReader(gatewayRequest()))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-Api-Key", gatewayToken)
	start := time.Now()
	resp, err := c.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	buf := make([]byte, 8<<10)
	n, err := resp.Body.Read(buf)
	first = time.Since(start)
	if err == nil {
		rest, e := io.ReadAll(resp.Body)
		return first, append(buf[:n], rest...), e
	}
	if err == io.EOF {
		err = nil
	}
	return first, buf[:n], err
}

func gatewayClient(network, address string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableCompression: true, MaxIdleConnsPerHost: gatewayCrowd,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}
}

// startChild starts this program again for a part, and waits for the line in which it says that it is ready.
func startChild(w *world, self string, args ...string) (*exec.Cmd, string, error) {
	cmd := exec.Command(self, args...)
	cmd.Env, cmd.Stderr = w.env(), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stopChild(cmd)
		return nil, "", fmt.Errorf("start %s: %w", args[0], err)
	}
	return cmd, strings.TrimSpace(line), nil
}

func stopChild(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func awaitSocket(path string) error {
	var err error
	for range 200 {
		var c net.Conn
		if c, err = net.Dial("unix", path); err == nil {
			return c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
