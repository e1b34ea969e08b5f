package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	toolsrecord "k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
)

var objectChecks = []check{
	{"leader election", leaderElection},
	{"apply configurations", applyConfigurations},
	{"untyped objects", untypedObjects},
	{"retries on conflict", retriesOnConflict},
	{"pages", pages},
	{"mapping of kinds", mappingOfKinds},
	{"recorded events", recordedEvents},
}

// leaderElection lets a second candidate take over from a first one that lets go.
func leaderElection(ctx context.Context, s scene) error {
	first, letGo := context.WithCancel(ctx)
	defer letGo()
	firstLeads, err := candidate(first, s, "first")
	if err != nil {
		return err
	}
	if err := within(ctx, firstLeads, "the first candidate to lead"); err != nil {
		return err
	}
	second, end := context.WithCancel(ctx)
	defer end()
	secondLeads, err := candidate(second, s, "second")
	if err != nil {
		return err
	}
	letGo()
	if err := within(ctx, secondLeads, "the second candidate to lead"); err != nil {
		return err
	}
	lease, err := s.typed.CoordinationV1().Leases(s.namespace).Get(ctx, "election", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if holder := *lease.Spec.HolderIdentity; holder != "second" {
		return fmt.Errorf("the lease is held by %q", holder)
	}
	return nil
}

// candidate begins to stand for election; the channel is closed when it leads.
func candidate(ctx context.Context, s scene, identity string) (<-chan struct{}, error) {
	leads := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: s.namespace, Name: "election"},
			Client:     s.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   10 * time.Second,
		RenewDeadline:   8 * time.Second,
		RetryPeriod:     100 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leads) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, err
	}
	go elector.Run(ctx)
	return leads, nil
}

func within(ctx context.Context, happened <-chan struct{}, what string) error {
	select {
	case <-happened:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waited in vain for %s", what)
	}
}

func applyConfigurations(ctx context.Context, s scene) error {
	objects := s.typed.CoreV1().ConfigMaps(s.namespace)
	wanted := func(value string) *applycorev1.ConfigMapApplyConfiguration {
		return applycorev1.ConfigMap("applied", s.namespace).WithData(map[string]string{"a": value})
	}
	applied, err := objects.Apply(ctx, wanted("1"), metav1.ApplyOptions{FieldManager: "first"})
	if err != nil {
		return err
	}
	extracted, err := applycorev1.ExtractConfigMap(applied, "first")
	if err != nil {
		return err
	}
	if extracted.Data["a"] != "1" {
		return fmt.Errorf("the first manager owns %v", extracted.Data)
	}
	if _, err := objects.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "second"}); !errors.IsConflict(err) {
		return fmt.Errorf("expected a conflict, got %v", err)
	}
	_, err = objects.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "second", Force: true})
	return err
}

func untypedObjects(ctx context.Context, s scene) error {
	objects := s.dynamic.Resource(configMaps).Namespace(s.namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "plain"},
		"data":     map[string]any{"a": "1"},
	}}
	if _, err := objects.Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := objects.Create(ctx, object, metav1.CreateOptions{}); !errors.IsAlreadyExists(err) {
		return fmt.Errorf("expected that it exists already, got %v", err)
	}
	if err := objects.Delete(ctx, "plain", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := objects.Get(ctx, "plain", metav1.GetOptions{}); !errors.IsNotFound(err) {
		return fmt.Errorf("expected that it is gone, got %v", err)
	}
	return nil
}

func retriesOnConflict(ctx context.Context, s scene) error {
	objects := s.typed.CoreV1().ConfigMaps(s.namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "contested"}}
	stale, err := objects.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	other := stale.DeepCopy()
	other.Data = map[string]string{"other": "1"}
	if _, err := objects.Update(ctx, other, metav1.UpdateOptions{}); err != nil {
		return err
	}
	attempts := 0
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if attempts++; attempts > 1 {
			if stale, err = objects.Get(ctx, "contested", metav1.GetOptions{}); err != nil {
				return err
			}
		}
		stale.Labels = map[string]string{"mine": "1"}
		_, err := objects.Update(ctx, stale, metav1.UpdateOptions{})
		return err
	})
	if err == nil && attempts != 2 {
		return fmt.Errorf("it took %d attempts", attempts)
	}
	return err
}

func pages(ctx context.Context, s scene) error {
	objects := s.typed.CoreV1().ConfigMaps(s.namespace)
	const count = 5
	for index := range count {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("page-%d", index), Labels: map[string]string{"paged": "yes"},
		}}
		if _, err := objects.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	requests, found := 0, 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		requests++
		return objects.List(ctx, options)
	})
	list.PageSize = 2
	options := metav1.ListOptions{LabelSelector: "paged=yes"}
	err := list.EachListItem(ctx, options, func(runtime.Object) error { found++; return nil })
	if err == nil && (requests != 3 || found != count) {
		return fmt.Errorf("%d requests found %d", requests, found)
	}
	return err
}

func mappingOfKinds(_ context.Context, s scene) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(s.typed.Discovery()))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "Role"})
	if err != nil {
		return err
	}
	if mapping.Resource.Resource != "roles" || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return fmt.Errorf("Role is %v, %s", mapping.Resource, mapping.Scope.Name())
	}
	return nil
}

// recordedEvents counts the second event of a kind in the first one, by a patch.
func recordedEvents(ctx context.Context, s scene) error {
	broadcaster := toolsrecord.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: s.typed.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "program"})
	about := &corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: s.namespace, Name: "applied"}
	for range 2 {
		recorder.Event(about, corev1.EventTypeNormal, "Checked", "it was looked at")
	}
	return wait.PollUntilContextCancel(ctx, poll, true, func(ctx context.Context) (bool, error) {
		options := metav1.ListOptions{FieldSelector: "involvedObject.name=applied,reason=Checked"}
		events, err := s.typed.CoreV1().Events(s.namespace).List(ctx, options)
		return err == nil && len(events.Items) == 1 && events.Items[0].Count == 2, err
	})
}
