package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// More events than any reconcile records: the recorder would block otherwise.
const eventCapacity = 64

// outcome is what one reconcile wrote. A slice to create has a generateName and no name.
type outcome struct {
	Create []*discoveryv1.EndpointSlice `json:"create"`
	Update []*discoveryv1.EndpointSlice `json:"update"`
	Delete []string                     `json:"delete"`
	Events []string                     `json:"events"`
	Error  string                       `json:"error"`
}

type outcomes struct {
	ID       string            `json:"id"`
	Outcomes []json.RawMessage `json:"outcomes"`
}

// outcomesOf reconciles the case over and over, by a controller that was just started: what comes of it depends on the order
// in which Go walks a map. Pods come in any order, too, as from an informer's lister, which walks a map itself.
func outcomesOf(c *testCase) (*outcomes, error) {
	result := &outcomes{ID: c.ID}
	seen := map[string]bool{}
	for range c.Runs {
		rand.Shuffle(len(c.Pods), func(i, j int) { c.Pods[i], c.Pods[j] = c.Pods[j], c.Pods[i] })
		text, err := json.Marshal(reconcile(c))
		if err != nil {
			return nil, err
		}
		if !seen[string(text)] {
			seen[string(text)] = true
			result.Outcomes = append(result.Outcomes, text)
		}
	}
	return result, nil
}

func reconcile(c *testCase) *outcome {
	client := &writes{}
	events := make(chan string, eventCapacity)
	reconciler := newReconciler(c, client, events)
	// The reconciler sorts addresses in place, so each run gets slices of its own.
	err := reconciler.Reconcile(logr.Discard(), c.Service, c.Pods, deepCopies(c.Slices), c.TriggerTime)
	close(events)
	result := &outcome{
		Create: inOneOrder(client.create),
		Update: inOneOrder(client.update),
		Delete: append([]string{}, client.delete...),
		Events: []string{},
	}
	for event := range events {
		result.Events = append(result.Events, event)
	}
	slices.Sort(result.Events)
	slices.Sort(result.Delete)
	if err != nil {
		result.Error = err.Error()
	}
	return result
}

// inOneOrder sorts slices and their endpoints, so that outcomes which differ in order alone are given once.
func inOneOrder(written []*discoveryv1.EndpointSlice) []*discoveryv1.EndpointSlice {
	sorted := deepCopies(written)
	for _, slice := range sorted {
		slices.SortStableFunc(slice.Endpoints, func(a, b discoveryv1.Endpoint) int {
			return strings.Compare(endpointKey(&a), endpointKey(&b))
		})
	}
	slices.SortStableFunc(sorted, func(a, b *discoveryv1.EndpointSlice) int {
		return strings.Compare(sliceKey(a), sliceKey(b))
	})
	return sorted
}

func endpointKey(endpoint *discoveryv1.Endpoint) string {
	key := strings.Join(endpoint.Addresses, ",")
	if endpoint.TargetRef != nil {
		key += " " + endpoint.TargetRef.Name
	}
	return key
}

func sliceKey(slice *discoveryv1.EndpointSlice) string {
	key := slice.Name + " " + string(slice.AddressType)
	for index := range slice.Endpoints {
		key += " " + endpointKey(&slice.Endpoints[index])
	}
	return key
}
