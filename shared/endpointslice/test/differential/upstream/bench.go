package main

import (
	"runtime"
	"slices"
	"time"

	"github.com/go-logr/logr"
)

const (
	warmUp   = 500 * time.Millisecond
	timed    = 2 * time.Second
	leastRun = 9
)

// measurement is of one Reconcile call on objects that stand in memory, with a client that does nothing.
type measurement struct {
	ID             string  `json:"id"`
	Milliseconds   float64 `json:"milliseconds"`
	AllocatedBytes uint64  `json:"allocatedBytes"`
	Runs           int     `json:"runs"`
	Create         int     `json:"create"`
	Update         int     `json:"update"`
	Delete         int     `json:"delete"`
}

// measure takes the median of many calls after a warm-up; the nodes, as with a running controller, are known before.
func measure(c *testCase) (*measurement, error) {
	client := &writes{}
	reconciler := newReconciler(c, client, nil)
	once := func() (time.Duration, error) {
		client.reset()
		started := time.Now()
		err := reconciler.Reconcile(logr.Discard(), c.Service, c.Pods, c.Slices, c.TriggerTime)
		return time.Since(started), err
	}
	for started := time.Now(); time.Since(started) < warmUp; {
		if _, err := once(); err != nil {
			return nil, err
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	times := []time.Duration{}
	for started := time.Now(); len(times) < leastRun || time.Since(started) < timed; {
		took, err := once()
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	return &measurement{
		ID:             c.ID,
		Milliseconds:   float64(times[len(times)/2]) / float64(time.Millisecond),
		AllocatedBytes: (after.TotalAlloc - before.TotalAlloc) / uint64(len(times)),
		Runs:           len(times),
		Create:         len(client.create),
		Update:         len(client.update),
		Delete:         len(client.delete),
	}, nil
}
