import { Counter, Gauge, type Registry } from 'prom-client'
import { type KeyText, keyText } from '../../../shared/changes/index.ts'
import type { Compared } from '../../../shared/reconciler/index.ts'

const PREFIX = 'sliceflow_shadow_'

/**
 * Creates the metrics of a shadow, all of which begin with `sliceflow_shadow_`. They remember one entry for
 * each Service that was compared.
 * @returns a function to call with every comparison
 */
export function createShadowMetrics(registry: Registry): (compared: Compared) => void {
  const registers = [registry]
  const latest = new Map<KeyText, Compared>()
  const comparisons = new Counter({
    name: `${PREFIX}comparisons_total`,
    help: 'Services compared with what their cluster has, by result',
    labelNames: ['result'],
    registers,
  })
  new Gauge({
    name: `${PREFIX}services`,
    help: 'Services by the result of their latest comparison',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const result of ['same', 'different', 'invalid']) this.set({ result }, 0)
      for (const { result } of latest.values()) this.inc({ result })
    },
  })
  new Gauge({
    name: `${PREFIX}differences`,
    help: 'Endpoints that differ now, by what differs',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const { differences } of latest.values())
        for (const [kind, count] of differences) this.inc({ kind }, count)
    },
  })
  return (compared) => {
    const { key, result } = compared
    comparisons.inc({ result })
    if (result === 'unmanaged') latest.delete(keyText(key))
    else latest.set(keyText(key), compared)
  }
}
