package main

import (
	"context"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	discoveryclient "k8s.io/client-go/kubernetes/typed/discovery/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/endpointslice"
	"k8s.io/endpointslice/topologycache"
	"k8s.io/endpointslice/util"
)

// writes is a client of which only the writing of slices works: it takes note of it and stores nothing.
type writes struct {
	kubernetes.Interface
	discoveryclient.DiscoveryV1Interface
	discoveryclient.EndpointSliceInterface

	create, update []*discoveryv1.EndpointSlice
	delete         []string
}

func (w *writes) DiscoveryV1() discoveryclient.DiscoveryV1Interface { return w }

func (w *writes) EndpointSlices(string) discoveryclient.EndpointSliceInterface { return w }

func (w *writes) Create(_ context.Context, slice *discoveryv1.EndpointSlice, _ metav1.CreateOptions) (*discoveryv1.EndpointSlice, error) {
	w.create = append(w.create, slice)
	return slice, nil
}

func (w *writes) Update(_ context.Context, slice *discoveryv1.EndpointSlice, _ metav1.UpdateOptions) (*discoveryv1.EndpointSlice, error) {
	w.update = append(w.update, slice)
	return slice, nil
}

func (w *writes) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	w.delete = append(w.delete, name)
	return nil
}

// reset forgets the writes and keeps the memory for the next ones.
func (w *writes) reset() {
	w.create, w.update, w.delete = w.create[:0], w.update[:0], w.delete[:0]
}

func newReconciler(c *testCase, client *writes, events chan string) *endpointslice.Reconciler {
	topology := topologycache.NewTopologyCache()
	// It adds up the nodes' CPU in place.
	topology.SetNodes(logr.Discard(), deepCopies(c.Nodes))
	return endpointslice.NewReconciler(client, nodeLister(c.Nodes), c.MaxEndpointsPerSlice, util.NewEndpointSliceTracker(),
		topology, &record.FakeRecorder{Events: events}, c.ControllerName,
		endpointslice.WithPreferSameTrafficDistributionEnabled(true))
}

func nodeLister(nodes []*corev1.Node) corelisters.NodeLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for _, node := range nodes {
		// Only an object without metadata has no key.
		_ = indexer.Add(node)
	}
	return corelisters.NewNodeLister(indexer)
}
