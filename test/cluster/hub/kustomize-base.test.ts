import { describe, expect, it } from 'vitest'
import type { Json } from '../../support/raw-client.ts'
import { renderBase } from './render.ts'

describe('the Kustomize base', () => {
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
