package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

var informerChecks = []check{
	{"informer of typed objects", func(ctx context.Context, s scene) error {
		only := func(options *metav1.ListOptions) { options.FieldSelector = named("typed").String() }
		factory := informers.NewSharedInformerFactoryWithOptions(s.typed, 0,
			informers.WithNamespace(s.namespace), informers.WithTweakListOptions(only))
		return hears(ctx, s, factory.Core().V1().ConfigMaps().Informer(), "typed")
	}},
	{"informer of untyped objects", func(ctx context.Context, s scene) error {
		only := func(options *metav1.ListOptions) { options.FieldSelector = named("untyped").String() }
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.dynamic, 0, s.namespace, only)
		return hears(ctx, s, factory.ForResource(configMaps).Informer(), "untyped")
	}},
	{"informer of metadata", func(ctx context.Context, s scene) error {
		only := func(options *metav1.ListOptions) { options.FieldSelector = named("metadata").String() }
		factory := metadatainformer.NewFilteredSharedInformerFactory(s.metadata, 0, s.namespace, only)
		return hears(ctx, s, factory.ForResource(configMaps).Informer(), "metadata")
	}},
}

func named(name string) fields.Selector { return fields.OneTermEqualSelector("metadata.name", name) }

// hears starts the informer and expects it to tell of a ConfigMap's whole life.
func hears(ctx context.Context, s scene, informer cache.SharedIndexInformer, name string) error {
	heard := &record{}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { heard.add("add", object) },
		UpdateFunc: func(_, object any) { heard.add("update", object) },
		DeleteFunc: func(object any) { heard.add("delete", object) },
	}); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	go informer.RunWithContext(running)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the cache was not filled in time")
	}
	objects := s.typed.CoreV1().ConfigMaps(s.namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	created, err := objects.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := heard.await(ctx, "add "+name); err != nil {
		return err
	}
	created.Labels = map[string]string{"changed": "yes"}
	if _, err := objects.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := heard.await(ctx, "add "+name, "update "+name); err != nil {
		return err
	}
	if err := objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return heard.await(ctx, "add "+name, "update "+name, "delete "+name)
}

// record keeps what informers tell, which do so from goroutines of their own.
type record struct {
	mutex sync.Mutex
	lines []string
}

func (r *record) add(event string, object any) {
	name := "something that is no object"
	if accessor, err := meta.Accessor(object); err == nil {
		name = accessor.GetName()
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.lines = append(r.lines, event+" "+name)
}

func (r *record) await(ctx context.Context, lines ...string) error {
	err := wait.PollUntilContextCancel(ctx, poll, true, func(context.Context) (bool, error) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		return slices.Equal(r.lines, lines), nil
	})
	if err != nil {
		return fmt.Errorf("expected %v, heard %v: %w", lines, r.lines, err)
	}
	return nil
}
