// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU seconds at one moment, or between two: of single processes, of this program as "load", and of the whole machine.
type usage struct {
	Seconds   float64            `json:"seconds"`
	Processes map[string]float64 `json:"cpu"`
	Machine   float64            `json:"machine_cpu"`
	at        time.Time
}

// A tick of /proc is 10 ms on every architecture Go knows.
const ticksPerSecond = 100

func takeUsage(processes map[string]int) usage {
	taken := usage{Processes: map[string]float64{"load": cpu(os.Getpid())}, Machine: machineCPU(), at: time.Now()}
	for name, pid := range processes {
		taken.Processes[name] = cpu(pid)
	}
	return taken
}

func (u usage) until(later usage) usage {
	between := usage{Processes: map[string]float64{}}
	if u.at.IsZero() {
		return between
	}
	between.Seconds, between.Machine = later.at.Sub(u.at).Seconds(), later.Machine-u.Machine
	for name, spent := range later.Processes {
		between.Processes[name] = spent - u.Processes[name]
	}
	return between
}

// statFields are the fields of /proc/PID/stat from the third on: the second may hold spaces.
func statFields(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := strings.LastIndexByte(string(text), ')')
	if err != nil || end < 0 {
		return nil
	}
	return strings.Fields(string(text[end+1:]))
}

// cpu is utime and stime.
func cpu(pid int) float64 {
	if fields := statFields(pid); len(fields) > 12 {
		return ticks(fields[11]) + ticks(fields[12])
	}
	return 0
}

func runs(pid int) bool {
	fields := statFields(pid)
	return len(fields) > 0 && fields[0] != "Z"
}

// machineCPU is what all processes took: user, nice, system, irq and softirq of /proc/stat.
func machineCPU() float64 {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	if len(fields) < 8 {
		return 0
	}
	return ticks(fields[1]) + ticks(fields[2]) + ticks(fields[3]) + ticks(fields[6]) + ticks(fields[7])
}

func ticks(text string) float64 {
	value, _ := strconv.ParseFloat(text, 64)
	return value / ticksPerSecond
}
