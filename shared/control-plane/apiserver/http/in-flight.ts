import { tooManyRequests } from '../../apimachinery/errors/factories.ts'
import type { Exchange } from './exchange.ts'
import { isLongRunning } from './request-info.ts'

/** Limits of requests that are served at the same time, and of their duration; watches are apart. */
export interface RequestLimits {
  /** Reads at the same time, as kube-apiserver's `--max-requests-inflight`. Default 400. */
  readonly reads?: number
  /** Writes at the same time, as its `--max-mutating-requests-inflight`. Default 200. */
  readonly writes?: number
  /** Seconds until a request must be answered, with the time that its body takes to come. Default 60. */
  readonly timeoutSeconds?: number
}

const READS = new Set(['get', 'list', 'head', 'options'])

/**
 * Bounds the requests that are served at the same time, so that a burst costs its senders time and not the
 * server its memory. Those of `system:masters` do not count, who must be able to come in and help.
 */
export class InFlight {
  readonly #bounds: { readonly reads: number; readonly writes: number }
  readonly #current = { reads: 0, writes: 0 }

  constructor({ reads = 400, writes = 200 }: RequestLimits) {
    this.#bounds = { reads, writes }
  }

  /** Returns how many are served now. */
  get current(): { readonly reads: number; readonly writes: number } {
    return this.#current
  }

  /** Counts the request until its answer is sent or its connection is gone; throws a 429 above the bound. */
  enter({ info, user, response }: Exchange): void {
    if (isLongRunning(info) || user.groups.includes('system:masters')) return
    const kind = READS.has(info.verb) ? 'reads' : 'writes'
    if (this.#current[kind] >= this.#bounds[kind]) throw tooManyRequests()
    this.#current[kind]++
    response.once('close', () => {
      this.#current[kind]--
    })
  }
}
