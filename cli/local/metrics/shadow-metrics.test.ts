import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { DifferenceKind } from '../../../shared/endpointslice/index.ts'
import type { Compared } from '../../../shared/reconciler/index.ts'
import { LatestByKey } from '../latest-by-key.ts'
import { createShadowMetrics } from './shadow-metrics.ts'

const latest = <Value>() => new LatestByKey<Value>()

const compared = (
  service: string,
  result: Compared['result'],
  differences: Partial<Record<DifferenceKind, number>> = {},
): Compared => ({
  key: { cluster: 'a', namespace: 'shop', service },
  result,
  differences: new Map(Object.entries(differences)) as Compared['differences'],
})

it('the metrics count comparisons, and tell how the Services are by now, however often they are asked', async () => {
  const registry = new Registry()
  const count = createShadowMetrics(registry, latest)
  const lines = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => /^sliceflow_shadow_\w+\{/.test(line))
  count(compared('web', 'different', { missing: 2 }))
  count(compared('db', 'different', { missing: 1, zone: 1 }))
  count(compared('api', 'invalid'))
  for (let times = 0; times < 2; times++)
    expect(await lines()).toEqual([
      'sliceflow_shadow_comparisons_total{result="different"} 2',
      'sliceflow_shadow_comparisons_total{result="invalid"} 1',
      'sliceflow_shadow_services{result="same"} 0',
      'sliceflow_shadow_services{result="different"} 2',
      'sliceflow_shadow_services{result="invalid"} 1',
      'sliceflow_shadow_differences{kind="missing"} 3',
      'sliceflow_shadow_differences{kind="zone"} 1',
    ])
  count(compared('web', 'same'))
  count(compared('db', 'same'))
  count(compared('api', 'unmanaged'))
  expect((await lines()).slice(-3)).toEqual([
    'sliceflow_shadow_services{result="same"} 2',
    'sliceflow_shadow_services{result="different"} 0',
    'sliceflow_shadow_services{result="invalid"} 0',
  ])
})
