import type { Settings } from '../../../shared/settings/index.ts'
import type { ServerAddress } from '../../support/list-watch-server.ts'
import type { WorkloadShape } from './workload.ts'

/** Request to the server's process. */
export interface ServerOptions {
  readonly shape: WorkloadShape
  /** Clusters that take requests and never answer. */
  readonly dead: readonly string[]
}

/** Request to a process of embedded control planes. */
export interface EmbeddedOptions {
  readonly clusters: readonly string[]
  readonly services: number
  /** A file to write. */
  readonly kubeconfig: string
}

/** Changes of pods: `perSecond` of them, one Service after the other. */
export interface ChangesRequest {
  readonly cluster: string
  readonly perSecond: number
  readonly seconds: number
  /** Whether each is reported when it is sent. */
  readonly isReported?: boolean
}

/** A change of a pod that a server has sent. */
export interface Changed {
  readonly cluster: string
  readonly service: string
  readonly at: number
  /** Whether the Service's pod is ready from then on. */
  readonly ready: boolean
}

/** Request to the relay's process. */
export interface RelayStart {
  readonly clusters: readonly string[]
  /** Address of the server that has all clusters. */
  readonly address: ServerAddress
  /** Clusters whose keys are reported one by one. */
  readonly reported: readonly string[]
  /** Default: as the settings have them. `sweepInterval` is in seconds. */
  readonly settings?: Partial<Pick<Settings, 'sweepInterval' | 'shard' | 'relayStandby' | 'standbyDelay'>>
}

export interface Usage {
  readonly rssMb: number
  readonly peakRssMb: number
  /** Since the process began. */
  readonly cpuSeconds: number
  /** Longest time since the last reading for which the event loop ran nothing else, in milliseconds. */
  readonly longestPauseMs: number
  readonly keysSent: number
  readonly events: number
  readonly sweeps: number
  /** Keys that sweeps have found. */
  readonly keysSwept: number
  /** Milliseconds since 1970. */
  readonly lastKeyAt: number
}

export type RelayReport =
  | { readonly kind: 'following' }
  | { readonly kind: 'sent'; readonly cluster: string; readonly service: string; readonly at: number }
