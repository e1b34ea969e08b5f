package main

import (
	"encoding/json"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testCase is one line of the input: a Service and what a controller would find in its informers.
type testCase struct {
	ID                   string                       `json:"id"`
	Service              *corev1.Service              `json:"service"`
	Pods                 []*corev1.Pod                `json:"pods"`
	Nodes                []*corev1.Node               `json:"nodes"`
	Slices               []*discoveryv1.EndpointSlice `json:"slices"`
	MaxEndpointsPerSlice int32                        `json:"maxEndpointsPerSlice"`
	TriggerTime          time.Time                    `json:"triggerTime"`
	ControllerName       string                       `json:"controllerName"`
	// Runs is how often the case is reconciled, each time from the start.
	Runs int `json:"runs"`
}

func parseCase(line []byte) (*testCase, error) {
	c := &testCase{MaxEndpointsPerSlice: 100, ControllerName: "sliceflow.dev", Runs: 1}
	if err := json.Unmarshal(line, c); err != nil {
		return nil, err
	}
	if c.Service == nil {
		return nil, errors.New("the case has no service")
	}
	// Objects from an informer have no kind, and upstream compares whole objects.
	for _, slice := range c.Slices {
		slice.TypeMeta = metav1.TypeMeta{}
	}
	return c, nil
}

func deepCopies[T interface{ DeepCopy() T }](objects []T) []T {
	copies := make([]T, 0, len(objects))
	for _, object := range objects {
		copies = append(copies, object.DeepCopy())
	}
	return copies
}
