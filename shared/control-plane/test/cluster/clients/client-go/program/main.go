// Command program uses an API server through client-go, as controllers do: typed, dynamic and metadata clients, informers, leader
// election, apply configurations, pages, recorded events. It prints "ok" and the name of each check, and ends with 1 at the first that fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// scene is what the checks work on.
type scene struct {
	namespace string
	config    *rest.Config
	typed     *kubernetes.Clientset
	dynamic   *dynamic.DynamicClient
	metadata  metadata.Interface
}

type check struct {
	name string
	run  func(context.Context, scene) error
}

const (
	timeout = 60 * time.Second
	poll    = 20 * time.Millisecond
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of a user who may do everything")
	namespace := flag.String("namespace", "", "to work in; it has to exist")
	flag.Parse()
	if err := run(*kubeconfig, *namespace); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	s := scene{
		namespace: namespace,
		config:    config,
		typed:     kubernetes.NewForConfigOrDie(config),
		dynamic:   dynamic.NewForConfigOrDie(config),
		metadata:  metadata.NewForConfigOrDie(config),
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	for _, check := range append(informerChecks, objectChecks...) {
		if err := check.run(ctx, s); err != nil {
			return fmt.Errorf("failed: %s: %w", check.name, err)
		}
		fmt.Println("ok", check.name)
	}
	return nil
}
