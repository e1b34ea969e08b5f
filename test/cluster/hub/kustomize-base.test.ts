import { describe, expect, it } from 'vitest'
import type { Json } from '../../support/raw-client.ts'
import { renderBase } from './render.ts'

describe('the Kustomize base', () => {
  it.each([
    ['in another namespace', { namespace: 'other' }, ['sliceflow', 'sliceflow-hub']],
    ['with another name', { nameSuffix: '-b' }, ['sliceflow-b', 'sliceflow-hub-b']],
    ['with both', { namespace: 'other', namePrefix: 'b-' }, ['b-sliceflow', 'b-sliceflow-hub']],
  ])('gives its rights to its own ServiceAccount %s', async (_, kustomization, [name, hub]) => {
    const namespace = 'namespace' in kustomization ? kustomization.namespace : 'sliceflow'
    const objects = await renderBase({ ...kustomization, components: ['clusters', 'fleet'] })
    expect(objects.get('Namespace').metadata.name).toBe(namespace)
    expect(objects.get('ServiceAccount').metadata).toMatchObject({ name, namespace })
    const { roleRef, subjects } = objects.get('ClusterRoleBinding')
    expect([roleRef.name, objects.get('ClusterRole').metadata.name]).toEqual([hub, hub])
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name, namespace }])
    const { serviceAccountName, volumes } = objects.get('Deployment').spec.template.spec
    expect([serviceAccountName, volumes[0].configMap.name]).toEqual([name, hub])
    expect(objects.get('ConfigMap').metadata).toMatchObject({ name: hub, namespace })
  })

  it('is there twice in a cluster, and neither selects what is of the other', async () => {
    const labels = (instance: string): Json => ({
      labels: [
        {
          includeSelectors: true,
          pairs: { 'app.kubernetes.io/instance': instance },
          fields: [{ kind: 'ServiceMonitor', path: 'spec/selector/matchLabels', create: true }],
        },
      ],
    })
    const components = ['service-monitor']
    const one = await renderBase({ components })
    const two = await renderBase({ nameSuffix: '-b', components, ...labels('b') })
    for (const [kind, { metadata }] of one)
      if (kind !== 'Namespace') expect([kind, two.get(kind).metadata.name]).not.toEqual([kind, metadata.name])
    const instance = (selector: Json): string => selector['app.kubernetes.io/instance']
    const selectors = (objects: ReadonlyMap<string, Json>): Json[] => [
      objects.get('Service').spec.selector,
      objects.get('Deployment').spec.selector.matchLabels,
      objects.get('Deployment').spec.template.metadata.labels,
      objects.get('PodDisruptionBudget').spec.selector.matchLabels,
      objects.get('NetworkPolicy').spec.podSelector.matchLabels,
      objects.get('ServiceMonitor').spec.selector.matchLabels,
    ]
    expect(new Set(selectors(one).map(instance))).toEqual(new Set(['sliceflow']))
    expect(new Set(selectors(two).map(instance))).toEqual(new Set(['b']))
  })
})
