import * as z from 'zod/mini'
import { ENCODINGS, type PolicyName, PRESET_NAMES } from '../../../../shared/simulation/index.ts'
import { type Flags, groupFlags, OUTPUT } from '../../options/flag-groups.ts'

export const WORKLOAD_NAMES = ['churn', 'rolling', 'scale', 'node-loss', 'zone-loss'] as const
export type WorkloadName = (typeof WORKLOAD_NAMES)[number]

const number = z.number()
const numbers = z.readonly(z.array(number))
const texts = z.readonly(z.array(z.string()))

const GROUPS = {
  workload: z.object({ workload: z.enum(WORKLOAD_NAMES) }),
  size: z.object({ services: number, endpoints: number, nodes: z.optional(number) }),
  churn: z.object({
    duration: number,
    meanChange: numbers,
    recovery: number,
    noisyShare: number,
    noisyMeanChange: number,
  }),
  rolling: z.object({
    surge: number,
    unavailable: number,
    startup: number,
    perSecond: number,
    termination: number,
  }),
  scaling: z.object({ factor: number, perSecond: number, termination: number }),
  loss: z.object({ eviction: number }),
  recorded: z.object({
    recording: z.optional(texts),
    cluster: z.optional(z.string()),
    since: z.optional(number),
    until: z.optional(number),
  }),
  tried: z.object({
    policy: z.optional(z.custom<readonly PolicyName[]>(Array.isArray)),
    coalescingWindow: z.optional(z.readonly(z.array(z.union([z.literal('auto'), number])))),
    maxEndpointsPerSlice: z.optional(numbers),
    batchWindow: z.optional(numbers),
  }),
  batches: z.object({
    batchSize: z.optional(number),
    maximumConcurrency: z.optional(number),
    maximumPollers: z.optional(number),
  }),
  measured: z.object({ encoding: z.enum(ENCODINGS), seed: number }),
  asked: z.object({
    preset: z.optional(z.enum(PRESET_NAMES)),
    scale: z.optional(z.literal(true)),
    advise: z.optional(z.literal(true)),
    latest: number,
    compare: z.optional(texts),
  }),
  printed: z.extend(OUTPUT, { report: z.optional(z.string()) }),
}

/** The flags of `simulate`, by subject. */
export type SimulateFlags = ReturnType<typeof simulateFlags>

export const simulateFlags = (flags: Flags) => groupFlags(flags, GROUPS)
