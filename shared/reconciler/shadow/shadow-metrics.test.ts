import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { DifferenceKind } from '../../endpointslice/index.ts'
import { createShadowMetrics } from './shadow-metrics.ts'
import type { Compared } from './shadow-report.ts'

const compared = (
  service: string,
  result: Compared['result'],
  differences: Partial<Record<DifferenceKind, number>> = {},
): Compared => ({
  key: { cluster: 'a', namespace: 'shop', service },
  result,
  differences: new Map(Object.entries(differences)) as Compared['differences'],
})

it('the metrics count comparisons, and tell how the Services are by now', async () => {
  const registry = new Registry()
  const count = createShadowMetrics(registry)
  count(compared('web', 'different', { missing: 2, zone: 1 }))
  count(compared('api', 'different', { missing: 1 }))
  count(compared('db', 'same'))
  count(compared('web', 'same'))
  count(compared('db', 'unmanaged'))
  const text = await registry.metrics()
  for (const line of [
    'comparisons_total{result="different"} 2',
    'comparisons_total{result="same"} 2',
    'services{result="same"} 1',
    'services{result="different"} 1',
    'differences{kind="missing"} 1',
  ])
    expect(text).toContain(`sliceflow_shadow_${line}`)
  expect(text).not.toContain('kind="zone"')
})

it('the metrics tell no result and no difference that is over, however often they are asked', async () => {
  const registry = new Registry()
  const count = createShadowMetrics(registry)
  const lines = async (): Promise<string[]> =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^sliceflow_shadow_(services|differences)\{/.test(line))
  count(compared('web', 'different', { missing: 2 }))
  count(compared('api', 'invalid'))
  const before = [
    'sliceflow_shadow_services{result="same"} 0',
    'sliceflow_shadow_services{result="different"} 1',
    'sliceflow_shadow_services{result="invalid"} 1',
    'sliceflow_shadow_differences{kind="missing"} 2',
  ]
  for (let times = 0; times < 2; times++) expect(await lines()).toEqual(before)
  count(compared('web', 'same'))
  count(compared('api', 'unmanaged'))
  expect(await lines()).toEqual([
    'sliceflow_shadow_services{result="same"} 1',
    'sliceflow_shadow_services{result="different"} 0',
    'sliceflow_shadow_services{result="invalid"} 0',
  ])
})
