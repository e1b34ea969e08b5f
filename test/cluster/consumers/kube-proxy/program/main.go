// Command program tells what kube-proxy makes of a namespace: its own trackers of Services and EndpointSlices, given what its informers
// would give it, and its own choice of endpoints for a node. It prints a JSON object of one entry a Service port.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/pkg/proxy"
)

// servicePort is what a node does with a port of a Service.
type servicePort struct {
	Address    string   `json:"address"`
	Affinity   string   `json:"affinity"`
	StickySecs int      `json:"stickySeconds,omitempty"`
	Endpoints  []string `json:"endpoints"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of a user who may list Services and EndpointSlices")
	namespace := flag.String("namespace", "", "to look at")
	node := flag.String("node", "node", "the name of the node that the proxy runs on")
	zone := flag.String("zone", "", "the zone of that node")
	family := flag.String("family", string(corev1.IPv4Protocol), "IPv4 or IPv6")
	flag.Parse()
	ports, err := look(*kubeconfig, *namespace, *node, *zone, corev1.IPFamily(*family))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(ports)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func look(kubeconfig, namespace, node, zone string, family corev1.IPFamily) (map[string]servicePort, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	services, slices, err := list(client, namespace)
	if err != nil {
		return nil, err
	}

	serviceChanges := proxy.NewServiceChangeTracker(family, nil, nil)
	for i := range services.Items {
		serviceChanges.Update(nil, &services.Items[i])
	}
	endpointsChanges := proxy.NewEndpointsChangeTracker(family, node, nil, nil)
	for i := range slices.Items {
		endpointsChanges.EndpointSliceUpdate(&slices.Items[i], false)
	}
	ports := proxy.ServicePortMap{}
	ports.Update(serviceChanges)
	endpoints := proxy.EndpointsMap{}
	endpoints.Update(endpointsChanges)

	result := map[string]servicePort{}
	for name, info := range ports {
		labels := map[string]string{corev1.LabelTopologyZone: zone}
		_, _, reachable, _ := proxy.CategorizeEndpoints(endpoints[name], info, node, labels)
		addresses := []string{}
		for _, endpoint := range reachable {
			addresses = append(addresses, endpoint.String())
		}
		sort.Strings(addresses)
		result[name.String()] = servicePort{
			Address:    info.String(),
			Affinity:   string(info.SessionAffinityType()),
			StickySecs: info.StickyMaxAgeSeconds(),
			Endpoints:  addresses,
		}
	}
	return result, nil
}

// list gives what passes the selectors of kube-proxy's informers.
func list(client kubernetes.Interface, namespace string) (*corev1.ServiceList, *discoveryv1.EndpointSliceList, error) {
	ctx := context.Background()
	services, err := client.CoreV1().Services(namespace).List(ctx, metav1.ListOptions{LabelSelector: "!service.kubernetes.io/service-proxy-name"})
	if err != nil {
		return nil, nil, err
	}
	slices, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{LabelSelector: "!" + corev1.IsHeadlessService})
	return services, slices, err
}
