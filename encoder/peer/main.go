//go:build linux

// Command peer measures package encoder beside ONNX Runtime on the same weights, in
// one run, and prints a table in Markdown:
//
//	go run ./encoder/peer [-python python3] [-model encoder/minilm]
//
// Python needs onnxruntime, onnx, numpy and safetensors. A time is the least of
// three seconds of passes, so that whatever else runs on the machine disturbs as
// little as it can; every row is measured in a process of its own.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assay-rag/assay/encoder"
)

// shapes are the passes that are timed: so many texts of so many tokens.
var shapes = []struct{ texts, tokens int }{{1, 32}, {1, 256}, {16, 64}, {10, 256}}

// times are the milliseconds of the shapes.
type times [4]float64

func main() {
	python := flag.String("python", "python3", "a Python with onnxruntime, onnx, numpy and safetensors")
	script := flag.String("script", "encoder/peer/ort.py", "the peer")
	model := flag.String("model", "encoder/minilm", "the folder of the model")
	one := flag.String("one", "", "measure only KERNELS,COMPUTE,THREADS, and print JSON")
	flag.Parse()
	err := error(nil)
	if *one != "" {
		err = measureOne(*model, *one)
	} else {
		err = compare(*python, *script, *model)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// compare prints the table.
func compare(python, script, model string) error {
	fmt.Println("| milliseconds | 1×32 | 1×256 | 16×64 | 10×256 | peak MB |\n|---|---|---|---|---|---|")
	for _, compute := range []string{"float32", "int8"} {
		if err := printRow("ONNX Runtime, "+compute, python, script, "time", model, compute); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, which := range []string{"avx512-vnni,int8,1", "avx512-vnni,int8,2", "avx512,float32,1", "avx512,float32,2", "avx2,float32,1", "neon,float32,1", "go,float32,1"} {
		kernels, _, _ := strings.Cut(which, ",")
		if !slices.Contains(encoder.Kernels(), kernels) {
			continue
		}
		if err := printRow("this, "+strings.ReplaceAll(which, ",", ", ")+" threads", self, "-model", model, "-one", which); err != nil {
			return err
		}
	}
	return nil
}

// printRow runs a command that prints times as JSON.
func printRow(label, name string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	var t times
	if err := json.Unmarshal(out.Bytes(), &t); err != nil {
		return fmt.Errorf("%s: it printed %q: %w", strings.Join(cmd.Args, " "), out.String(), err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Printf("| %s | %.1f | %.1f | %.0f | %.0f | %d |\n", label, t[0], t[1], t[2], t[3], usage.Maxrss/1024)
	return nil
}

// measureOne prints the times of one set of kernels as JSON.
func measureOne(model, which string) error {
	part := strings.Split(which, ",")
	if len(part) != 3 {
		return fmt.Errorf("%q is not KERNELS,COMPUTE,THREADS", which)
	}
	o := &encoder.Options{Kernels: part[0], Compute: encoder.Compute(part[1])}
	if _, err := fmt.Sscan(part[2], &o.Threads); err != nil {
		return err
	}
	e, err := encoder.Load(encoder.Dir(model), o)
	if err != nil {
		return err
	}
	var t times
	for i, s := range shapes {
		if t[i], err = measure(e, s.texts, s.tokens); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(t)
}

// measure times passes over so many texts of so many tokens.
func measure(e *encoder.Encoder, count, tokens int) (float64, error) {
	text := strings.TrimSpace(strings.Repeat("the ", tokens-2)) // a token a word
	if n := e.Tokens(text); n != tokens-2 {
		return 0, fmt.Errorf("%d tokens where %d were meant", n, tokens-2)
	}
	texts, out := slices.Repeat([]string{text}, count), make([]float32, count*e.Dim())
	best := time.Hour
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
		start := time.Now()
		if err := e.EmbedInto(context.Background(), out, texts); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Microseconds()) / 1e3, nil
}
