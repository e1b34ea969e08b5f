import { type CompactLimits, compactPacking, type Node, type Service } from '../../endpointslice/index.ts'
import { createSliceSizes, type Encoding } from '../sizes/index.ts'
import { createEndpointsPublisher } from './endpoints.ts'
import { createNoisyPublisher } from './noisy.ts'
import type { Publisher } from './publisher.ts'
import { createSlicesPublisher, type SlicesOptions } from './slices.ts'

export type { PodsByName, Publisher, Write } from './publisher.ts'

/** Surroundings of a policy: where it runs, and by which settings. */
export interface PolicyContext {
  readonly nodes: ReadonlyMap<string, Node>
  readonly encoding: Encoding
  readonly maxEndpointsPerSlice: number
  /** Limits of the policy `compact`. Default: those of `packing: compact`. */
  readonly compact?: CompactLimits | undefined
  /**
   * Slices are written as Sliceflow does, with its seal, and emptied before they are deleted; default: as any
   * controller would, so that policies differ by their packing alone.
   */
  readonly isSealed?: boolean | undefined
}

/** Begins to publish a Service. */
export type Policy = (service: Service, context: PolicyContext) => Publisher

type SlicesPublisher = (options: SlicesOptions) => Publisher

const slices =
  (max?: number, createPublisher: SlicesPublisher = createSlicesPublisher, isCompact = false): Policy =>
  (service, { encoding, maxEndpointsPerSlice, nodes, compact, isSealed = false }) =>
    createPublisher({
      service,
      nodes,
      mergePolicy: isCompact ? compactPacking(compact) : undefined,
      sizes: createSliceSizes(encoding, { isSealed }),
      emptiesFirst: isSealed,
      maxEndpointsPerSlice: max ?? maxEndpointsPerSlice,
    })

/** Every way to publish endpoints that is compared. */
export const POLICIES = {
  /** Publishes one v1 Endpoints object for all. */
  endpoints: (service, { encoding }) => createEndpointsPublisher(service, encoding),
  /** A slice for each endpoint. */
  single: slices(1),
  /** Packs as the in-tree controller. */
  'in-tree': slices(),
  /** `packing: compact`. */
  compact: slices(undefined, createSlicesPublisher, true),
  /** Packs as the in-tree controller, and keeps endpoints that become unready in slices of their own. */
  noisy: slices(undefined, createNoisyPublisher),
} as const satisfies Readonly<Record<string, Policy>>

export type PolicyName = keyof typeof POLICIES
export const POLICY_NAMES = Object.keys(POLICIES) as readonly PolicyName[]
