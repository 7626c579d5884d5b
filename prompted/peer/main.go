//go:build linux

// Command peer measures the loop with a model beside the usual loop in LangGraph JS, in
// one run, against one endpoint that takes a fixed time a call, and prints a table in
// Markdown:
//
//	npm ci --prefix prompted/peer
//	go run ./prompted/peer [-short]
//
// The endpoint and each row are processes of their own. What is best of three rounds
// counts, so that whatever else runs on the machine disturbs as little as it can; the
// time of a processor is disturbed the least. Our loops run with GOGC=400, see -gogc.
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// latency is what a call takes in a model that takes some time.
const latency = "200ms"

//go:embed loop.mjs
var script string

func main() {
	node := flag.String("node", "node", "Node 20 or later")
	modules := flag.String("modules", "prompted/peer", "the folder that holds node_modules")
	gogc := flag.Int("gogc", 400, "GOGC of our loops: they hold 2 MB, less than any program with an index does, and by Go's default would collect after each 4 MB")
	short := flag.Bool("short", false, "ask few questions, once: to see that it works")
	serve := flag.Bool("serve", false, "be the endpoint until the input ends")
	ask := flag.String("ask", "", "measure only this loop (off, unsure, always, stream, again), with the arguments BASE_URL QUESTIONS IN_FLIGHT, and print JSON")
	flag.Parse()
	var err error
	switch {
	case *serve:
		err = serveUntilEOF()
	case *ask != "":
		err = askAndPrint(*ask, flag.Args())
	default:
		before := load()
		var loops []*loop
		if loops, err = measure(*node, *modules, *gogc, *short); err == nil {
			table(os.Stdout, loops)
			fmt.Printf("\nLoad %s before, %s after, on %d processors.\n", before, load(), runtime.NumCPU())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// serveUntilEOF is the endpoint. It prints its address.
func serveUntilEOF() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go http.Serve(listener, &endpoint{})
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// askAndPrint measures one of our loops.
func askAndPrint(loop string, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("after -ask come BASE_URL QUESTIONS IN_FLIGHT, and not %q", args)
	}
	a := asking{judge: loop, base: args[0]}
	switch loop {
	case "stream":
		a.judge, a.stream = "off", true
	case "again":
		a.judge, a.again = "off", true
	}
	var err error
	if a.count, err = strconv.Atoi(args[1]); err != nil {
		return err
	}
	if a.inFlight, err = strconv.Atoi(args[2]); err != nil {
		return err
	}
	if a.count < 1 || a.inFlight < 1 {
		return fmt.Errorf("%d questions, %d at a time: there is nothing to measure", a.count, a.inFlight)
	}
	f, err := a.run(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// loop is a row of the table.
type loop struct {
	label   string
	command []string // what comes before BASE_URL QUESTIONS IN_FLIGHT
	dir     string
	env     string // beside the usual variables
	input   string
	many    int // questions that take a few seconds, from a model that takes no time
	flat    int // questions over which memory is looked at
	row
}

// row is what is measured of a loop.
type row struct {
	calls           float64 // a question
	alone, together float64 // questions a second, one at a time and 16
	slow            figures // with a model that takes its time
	cpu             float64 // milliseconds of a processor a question takes
	memory          figures // over many questions
}

// peer is the loop in LangGraph, which grades the pages serially or in parallel.
func peer(node, modules, grading string) *loop {
	return &loop{label: "LangGraph JS, grades " + grading, command: []string{node, "--input-type=module", "-", grading, page}, dir: modules, input: script, many: 120, flat: 400}
}

// ours is one of our loops.
func ours(self string, gogc int, which, label string) *loop {
	return &loop{label: "Assay, " + label, command: []string{self, "-ask", which}, env: "GOGC=" + strconv.Itoa(gogc), many: 2000, flat: 10_000}
}

// measure measures all loops.
func measure(node, modules string, gogc int, short bool) ([]*loop, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, stop, err := startEndpoint(self)
	if err != nil {
		return nil, err
	}
	defer stop()
	loops := []*loop{
		peer(node, modules, "serially"),
		peer(node, modules, "in parallel"),
		ours(self, gogc, "always", "a judge always"),
		ours(self, gogc, "unsure", "a judge where the evaluator is unsure"),
		ours(self, gogc, "off", "the evaluator"),
		ours(self, gogc, "again", "the evaluator, one question again and again"),
		ours(self, gogc, "stream", "the evaluator, streamed as it is checked"),
	}
	rounds, slow := 3, 20
	if short {
		rounds, slow = 1, 3
		for _, l := range loops {
			l.many, l.flat = l.many/10, l.flat/20
		}
	}
	for range rounds {
		for _, l := range loops {
			if err := l.race(address); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range loops {
		if l.slow, err = l.run(address, latency, slow, 1); err != nil {
			return nil, err
		}
		if l.memory, err = l.run(address, "0ms", l.flat, 16); err != nil {
			return nil, err
		}
	}
	return loops, nil
}

// table writes the table. How many times faster a loop is, is by the first.
func table(out io.Writer, loops []*loop) {
	usual := loops[0]
	fmt.Fprintf(out, "| | calls | questions/s | 16 in flight | CPU ms | ms at %s a call, p50 | p99 | MB after a tenth of the questions | questions |\n|---|---|---|---|---|---|---|---|---|\n", latency)
	for _, l := range loops {
		fmt.Fprintf(out, "| %s | %.0f | %.0f (%.1f×) | %.0f (%.1f×) | %.2f (%.1f×) | %.0f | %.0f | %.0f, at the end %.0f | %d |\n", l.label, l.calls,
			l.alone, l.alone/usual.alone, l.together, l.together/usual.together, l.cpu, usual.cpu/l.cpu, l.slow.P50, l.slow.P99, l.memory.EarlyMB, l.memory.EndMB, l.memory.Questions)
	}
}

// load is how many processes want to run, on average over the last minute.
func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// race measures a loop with a model that takes no time, and keeps the better of this
// and what was measured before.
func (l *loop) race(address string) error {
	if _, err := calls(address); err != nil { // forget those so far
		return err
	}
	alone, err := l.run(address, "0ms", l.many, 1)
	if err != nil {
		return err
	}
	n, err := calls(address)
	if err != nil {
		return err
	}
	together, err := l.run(address, "0ms", 2*l.many, 16)
	if err != nil {
		return err
	}
	l.calls = float64(n) / float64(l.many+1) // one to get warm
	l.alone, l.together = max(l.alone, alone.perSecond()), max(l.together, together.perSecond())
	if l.cpu == 0 || alone.CPU < l.cpu {
		l.cpu = alone.CPU
	}
	return nil
}

// run runs the loop in a process of its own.
func (l *loop) run(address, latency string, count, inFlight int) (f figures, err error) {
	args := append(l.command[1:len(l.command):len(l.command)], "http://"+address+"/"+latency+"/v1", strconv.Itoa(count), strconv.Itoa(inFlight))
	cmd := exec.Command(l.command[0], args...)
	if l.env != "" {
		cmd.Env = append(os.Environ(), l.env)
	}
	cmd.Dir, cmd.Stdin, cmd.Stderr = l.dir, strings.NewReader(l.input), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("%s: %w", l.label, err)
	}
	if err := json.Unmarshal(bytes.TrimSpace(out), &f); err != nil {
		return f, fmt.Errorf("%s: it printed %q: %w", l.label, out, err)
	}
	return f, nil
}

// startEndpoint starts the endpoint in a process of its own.
func startEndpoint(self string) (address string, stop func(), err error) {
	cmd := exec.Command(self, "-serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { in.Close(); cmd.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the endpoint did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// calls is how many calls the endpoint had since it was asked last.
func calls(address string) (n int, err error) {
	resp, err := http.Get("http://" + address + "/calls")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = fmt.Fscan(resp.Body, &n)
	return n, err
}
