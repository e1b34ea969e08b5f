import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, ProxiedRequest } from '../support/fault-proxy.ts'
import type { Random } from '../support/random.ts'
import type { Deployment } from './deployment.ts'
import { askOlder } from './older-server.ts'

/** Surroundings of a perturbation in a window of a plan. */
interface Scene {
  readonly deployment: Deployment
  /** The newest version of anything in the cluster, when the window began. */
  readonly version: string
  readonly random: Random
}

/** A perturbation that has begun. */
export interface Running {
  /** Called after each step that users took meanwhile. */
  stepped?(): Promise<void>
  /** Called before the last step, which always makes the function write. */
  last?(): void
  /** Returns how often it has happened; 0: it has not. */
  happened(): number
  end(): Promise<void>
}

interface Perturbation {
  /** Words for what is counted, for the table. */
  readonly counts: string
  begin(scene: Scene): Running
}

/** Never of Services, or the relay might have nothing to send. */
const LAGGING = [['pods'], ['endpointslices'], ['pods', 'endpointslices']] as const
/** Maximum time for which a process is away, in milliseconds. */
const AWAY_MS = 1_000

export const PERTURBATIONS = {
  /** Stale views: every read of the function is answered by a server that has stopped to learn. */
  'stale-reads': {
    counts: 'reads answered from the past',
    begin: ({ deployment, version }) => pastReads(deployment.function.view, version, () => true),
  },

  /** Stale views: the relay watches a server that lags, and then catches up. */
  'stale-watches': {
    counts: 'events held back',
    begin({ deployment: { relay } }) {
      const { gate } = relay.view
      const before = gate.held
      gate.hold()
      return { happened: () => gate.held - before, end: async () => gate.open() }
    },
  },

  /**
   * Unobserved states: the relay misses what comes and goes, and lists again when the server has lost its
   * history.
   */
  unobserved: {
    counts: 'objects that came and went unseen',
    begin({ deployment: { relay } }) {
      const { gate } = relay.view
      const before = gate.unseen
      gate.lose()
      return { happened: () => gate.unseen - before, end: async () => gate.open() }
    },
  },

  /**
   * Intermediate states: the function dies at one of its writes, before or after the server has carried it
   * out; at times the relay with it.
   */
  crash: {
    counts: 'processes killed at a write',
    begin({ deployment, random }) {
      const nth = 1 + random.below(4)
      const fault: Fault = random.chance(0.5) ? { kind: 'cut-before-reply' } : { kind: 'answer', status: 503 }
      const parts = random.chance(0.4) ? [deployment.function, deployment.relay] : [deployment.function]
      const awayMs = random.below(AWAY_MS)
      const { view } = deployment.function
      let writes = 0
      let isLast = false
      let back: Promise<unknown> | undefined
      view.decide = (request) => {
        if (!isSliceWrite(request)) return undefined
        writes++
        if (back !== undefined || (writes < nth && !isLast)) return undefined
        for (const part of parts) part.kill()
        back = sleep(awayMs).then(() => Promise.all(parts.map((part) => part.restart())))
        return fault
      }
      return {
        last() {
          isLast = true
        },
        happened: () => (back === undefined ? 0 : parts.length),
        async end() {
          view.decide = () => undefined
          await back
        },
      }
    },
  },

  /** A server set back in time, as a client sees one that restarts and comes to a server that lags. */
  'older-server': {
    counts: 'lists of a start answered from the past',
    begin({ deployment: { relay }, version }) {
      const { view } = relay
      let reads: Running | undefined
      return {
        async stepped() {
          if (reads !== undefined) return
          reads = pastReads(view, version, () => true)
          await reads.stepped?.()
          relay.kill()
          view.gate.hold()
          await relay.restart()
        },
        happened: () => reads?.happened() ?? 0,
        async end() {
          await reads?.end()
          view.gate.open()
        },
      }
    },
  },

  /**
   * Two servers that disagree: the function is answered by either, and of the relay's watches some are of the
   * one and some of the other.
   */
  disagreement: {
    counts: 'times that two reads in a row were of two servers',
    begin({ deployment, version, random }) {
      const { gate } = deployment.relay.view
      gate.hold(new Set(random.pick(LAGGING)))
      let wasOlder: boolean | undefined
      let switches = 0
      const reads = pastReads(deployment.function.view, version, () => {
        const isOlder = switches === 0 && wasOlder !== undefined ? !wasOlder : random.chance(0.5)
        if (wasOlder !== undefined && isOlder !== wasOlder) switches++
        wasOlder = isOlder
        return isOlder
      })
      return {
        stepped: reads.stepped,
        happened: () => (reads.happened() > 0 ? switches : 0),
        async end() {
          await reads.end()
          gate.open()
        },
      }
    },
  },
} as const satisfies Readonly<Record<string, Perturbation>>

export type PerturbationKind = keyof typeof PERTURBATIONS
export const PERTURBATION_KINDS = Object.keys(PERTURBATIONS) as readonly PerturbationKind[]

/** Counts only what is answered from the past since users did something: before, the past is the present. */
function pastReads(view: Deployment['relay']['view'], version: string, isOlder: () => boolean): Running {
  let hasStepped = false
  let answered = 0
  view.decide = (request) => {
    const fault = askOlder(request, version)
    if (fault === undefined || !isOlder()) return undefined
    if (hasStepped) answered++
    return fault
  }
  return {
    async stepped() {
      hasStepped = true
    },
    happened: () => answered,
    async end() {
      view.decide = () => undefined
    },
  }
}

const isSliceWrite = ({ isWrite, url }: ProxiedRequest): boolean => isWrite && url.includes('/endpointslices')
