import type { Metric, Sample } from '../metrics/index.ts'

interface Tally {
  readonly name: string
  readonly type: string
  success: number
  error: number
  isWell: boolean
}

/** Counts how often each health check was asked, and its results: component SLIs (KEP-3466). */
export class HealthTally {
  readonly #tallies = new Map<string, Tally>()

  /** @param type the endpoint that asked, as `readyz` */
  add(type: string, name: string, isWell: boolean): void {
    const key = `${name} ${type}`
    const tally = this.#tallies.get(key) ?? { name, type, success: 0, error: 0, isWell }
    tally[isWell ? 'success' : 'error']++
    tally.isWell = isWell
    this.#tallies.set(key, tally)
  }

  get metrics(): Metric[] {
    const tallies = [...this.#tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally)
    return [
      {
        name: 'kubernetes_healthcheck',
        help: '[STABLE] What a health check said last: 1 that all is well.',
        type: 'gauge',
        samples: tallies.map(({ name, type, isWell }) => ({ labels: { name, type }, value: isWell ? 1 : 0 })),
      },
      {
        name: 'kubernetes_healthchecks_total',
        help: '[STABLE] How often a health check was asked, by what it said.',
        type: 'counter',
        samples: tallies.flatMap(countsOf),
      },
    ]
  }
}

function countsOf({ name, type, ...counts }: Tally): Sample[] {
  return (['error', 'success'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => ({ labels: { name, status, type }, value: counts[status] }))
}
