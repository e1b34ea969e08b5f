import type { Node, Packing, Service } from '../../endpointslice/index.ts'
import { createSliceSizes, type Encoding } from '../sizes/index.ts'
import { createEndpointsPublisher } from './endpoints.ts'
import type { Publisher } from './publisher.ts'
import { createSlicesPublisher } from './slices.ts'

export type { PodsByName, Publisher, Write } from './publisher.ts'

/** What the policies are told of where they run. */
export interface PolicyContext {
  readonly nodes: ReadonlyMap<string, Node>
  readonly encoding: Encoding
  readonly maxEndpointsPerSlice: number
  /**
   * Slices are written as Sliceflow does, with its seal, and emptied before they are deleted; default: as any controller would,
   * so that policies differ by their packing alone.
   */
  readonly isSealed?: boolean | undefined
}

/** Begins to publish a Service. */
export type Policy = (service: Service, context: PolicyContext) => Publisher

const slices =
  (packing: Packing, max?: number): Policy =>
  (service, { encoding, maxEndpointsPerSlice, nodes, isSealed = false }) =>
    createSlicesPublisher({
      service,
      nodes,
      packing,
      sizes: createSliceSizes(encoding, { isSealed }),
      emptiesFirst: isSealed,
      maxEndpointsPerSlice: max ?? maxEndpointsPerSlice,
    })

/** Every way to publish endpoints that is compared. */
export const POLICIES = {
  /** One v1 Endpoints object for all. */
  endpoints: (service, { encoding }) => createEndpointsPublisher(service, encoding),
  /** A slice for each endpoint. */
  single: slices('upstream', 1),
  /** As the in-tree controller. */
  'in-tree': slices('upstream'),
  /** `packing: compact`. */
  compact: slices('compact'),
} as const satisfies Readonly<Record<string, Policy>>

export type PolicyName = keyof typeof POLICIES
export const POLICY_NAMES = Object.keys(POLICIES) as readonly PolicyName[]
