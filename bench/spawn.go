// What starting a command hook costs through Go's os/exec: feed the child 4 KB, read its answer,
// wait for its end; from a small process and from one with 500 MB in use. Beside bench_proc's rows.
//
//	go run bench/spawn.go CHILD
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"time"
)

const warmUp = 5

func measure(name string, child string, runs int) {
	input := bytes.Repeat([]byte(" "), 4096)
	times := make([]time.Duration, 0, runs)
	for i := 0; i < warmUp+runs; i++ {
		began := time.Now()
		command := exec.Command(child)
		command.Stdin = bytes.NewReader(input)
		answer, err := command.Output()
		if err != nil || string(answer) != "{}" {
			fmt.Fprintln(os.Stderr, "spawn.go: no answer:", err)
			os.Exit(1)
		}
		if i >= warmUp {
			times = append(times, time.Since(began))
		}
	}
	sort.Slice(times, func(x, y int) bool { return times[x] < times[y] })
	fmt.Printf("%s\t%d\n", name, times[runs/2].Nanoseconds())
}

func main() {
	measure("spawn-go", os.Args[1], 300)
	ballast := bytes.Repeat([]byte{1}, 500<<20)
	measure("spawn-go-500m", os.Args[1], 100)
	if ballast[len(ballast)-1] != 1 {
		os.Exit(1)
	}
}
