import { type Node, PACKING_POLICIES, type Service } from '../../endpointslice/index.ts'
import { createSliceSizes, type Encoding } from '../sizes/index.ts'
import { createEndpointsPublisher } from './endpoints.ts'
import { createNoisyPublisher } from './noisy.ts'
import type { Publisher } from './publisher.ts'
import { createSlicesPublisher, type SlicesOptions } from './slices.ts'

export type { PodsByName, Publisher, Write } from './publisher.ts'

/** Environment and settings of a policy. */
export interface PolicyContext {
  readonly nodes: ReadonlyMap<string, Node>
  readonly encoding: Encoding
  readonly maxEndpointsPerSlice: number
  /**
   * Write slices as Sliceflow does, with its seal. Default: as any controller would, so that policies differ
   * only in their packing.
   */
  readonly isSealed?: boolean | undefined
}

/** Creates a publisher for a Service. */
export type Policy = (service: Service, context: PolicyContext) => Publisher

type SlicesPublisher = (options: SlicesOptions) => Publisher

const slices =
  (max?: number, createPublisher: SlicesPublisher = createSlicesPublisher, isCompact = false): Policy =>
  (service, { encoding, maxEndpointsPerSlice, nodes, isSealed = false }) =>
    createPublisher({
      service,
      nodes,
      mergePolicy: isCompact ? PACKING_POLICIES.compact : undefined,
      sizes: createSliceSizes(encoding, { isSealed }),
      maxEndpointsPerSlice: max ?? maxEndpointsPerSlice,
    })

/** All compared policies. */
export const POLICIES = {
  /** One v1 Endpoints object for all endpoints. */
  endpoints: (service, { encoding }) => createEndpointsPublisher(service, encoding),
  /** One slice per endpoint. */
  single: slices(1),
  /** Packs like the in-tree controller. */
  'in-tree': slices(),
  /** `packing: compact`. */
  compact: slices(undefined, createSlicesPublisher, true),
  /** Packs like the in-tree controller, with separate slices for endpoints that become unready. */
  noisy: slices(undefined, createNoisyPublisher),
} as const satisfies Readonly<Record<string, Policy>>

export type PolicyName = keyof typeof POLICIES
export const POLICY_NAMES = Object.keys(POLICIES) as readonly PolicyName[]
