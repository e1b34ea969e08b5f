import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { SliceFightError } from '../../../shared/reconciler/index.ts'
import { LatestByKey } from '../latest-by-key.ts'
import { createGuardMetrics } from './guard-metrics.ts'

const latest = <Value>() => new LatestByKey<Value>()

const key = (service: string) => ({ cluster: 'a', namespace: 'shop', service })

it('the metrics of the guards tell how many plans are held and addresses refused by now, and count fights', async () => {
  const registry = new Registry()
  const metrics = createGuardMetrics(registry, latest)
  metrics.reconciled(key('web'), { acted: { held: 1 }, isBlocked: true })
  metrics.reconciled(key('api'), { acted: { held: 1, refused: 3 }, isBlocked: true })
  metrics.reconciled(key('web'), { acted: {}, isBlocked: false })
  metrics.reconciled(key('gone'), { acted: { held: 1 }, isBlocked: true })
  metrics.reconciled(key('gone'), undefined)
  metrics.reconciled(key('all'), { acted: { oversized: 1 }, isBlocked: true })
  const fight = { slices: ['a'], opponent: undefined, kind: 'edits', quietMs: 1 } as const
  metrics.failed(key('web'), new SliceFightError('shop/web', [fight]))
  metrics.failed(key('web'), new Error('down'))

  const secondController = { manager: 'k3s', slice: 'a', isMirror: false, writtenAt: 0 }
  metrics.reconciled(key('web'), { acted: { secondController: 1 }, isBlocked: false, secondController })

  const text = await registry.metrics()

  for (const line of [
    'held_plans 1',
    'oversized_services 1',
    'refused_addresses 3',
    'slice_fights_total 1',
    'second_controller_syncs_total{cluster="a"} 1',
  ])
    expect(text).toContain(`sliceflow_${line}\n`)
})
