import type { Log } from '../../../shared/telemetry/index.ts'
import type { StatusDocument } from './document.ts'

export interface ShadowTotalOptions {
  readonly status: () => StatusDocument
  readonly logger: Log
}

/** Often enough to follow a rollout, and no burden for a log, in milliseconds. */
const INTERVAL_MS = 10_000

/**
 * Reports, in shadow mode, how many Services it would publish as they are and how many not, whenever that has
 * changed, and once more at the end.
 * @returns ends it
 */
export function startShadowTotal({ status, logger }: ShadowTotalOptions): () => void {
  let told = ''
  function tell(): void {
    const total = { same: 0, different: 0, invalid: 0 }
    for (const { shadow } of status().clusters) {
      total.same += shadow?.same ?? 0
      total.different += shadow?.different ?? 0
      total.invalid += shadow?.invalid ?? 0
    }
    const services = total.same + total.different + total.invalid
    const text = JSON.stringify(total)
    if (services === 0 || text === told) return
    told = text
    logger.info({ services, ...total }, 'shadow: Services compared so far, by what would be published')
  }
  const timer = setInterval(tell, INTERVAL_MS)
  return () => {
    clearInterval(timer)
    tell()
  }
}
