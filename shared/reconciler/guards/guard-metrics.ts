import { Counter, Gauge, type Registry } from 'prom-client'
import { type KeyText, keyText, type ServiceKey } from '../../changes/index.ts'
import type { GuardSummary } from '../reporter.ts'
import { SliceFightError } from './fights.ts'

/**
 * Counts what the guards do; it remembers one entry a Service of which a plan is held, nothing is written or
 * addresses are refused.
 */
export interface GuardMetrics {
  /** @param summary absent where there was no plan */
  reconciled(key: ServiceKey, summary: GuardSummary | undefined): void
  failed(error: unknown): void
}

export function createGuardMetrics(registry: Registry): GuardMetrics {
  const registers = [registry]
  const guarded = new Map<KeyText, GuardSummary>()
  new Gauge({
    name: 'sliceflow_held_plans',
    help: 'Services with a plan that is held because it removes too many ready endpoints',
    registers,
    collect() {
      this.set([...guarded.values()].filter(({ isHeld }) => isHeld).length)
    },
  })
  new Gauge({
    name: 'sliceflow_oversized_services',
    help: 'Services that are not written because they would have more endpoints than maximumEndpoints',
    registers,
    collect() {
      this.set([...guarded.values()].filter(({ isOversized }) => isOversized).length)
    },
  })
  new Gauge({
    name: 'sliceflow_refused_addresses',
    help: 'Addresses that are left out because they are in a refused range',
    registers,
    collect() {
      this.set([...guarded.values()].reduce((sum, { refusedAddresses }) => sum + refusedAddresses, 0))
    },
  })
  const fights = new Counter({
    name: 'sliceflow_slice_fights_total',
    help: 'Times that slices were left alone because somebody undoes every repair',
    registers,
  })
  const secondControllers = new Counter({
    name: 'sliceflow_second_controller_syncs_total',
    help: 'Looks at Services whose slices another controller writes, too',
    labelNames: ['cluster'],
    registers,
  })
  return {
    reconciled(key, summary) {
      secondControllers.inc({ cluster: key.cluster }, summary?.secondController ? 1 : 0)
      if (summary?.isHeld || summary?.isOversized || summary?.refusedAddresses)
        guarded.set(keyText(key), summary)
      else guarded.delete(keyText(key))
    },
    failed(error) {
      if (error instanceof SliceFightError) fights.inc()
    },
  }
}
