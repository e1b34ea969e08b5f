import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod/mini'
import type { ControlPlaneOptions } from '../../../../shared/control-plane/index.ts'
import { UsageError } from '../../usage.ts'

/** Flags that kube-apiserver has under the same names. */
export const TUNING = z.object({
  serviceClusterIpRange: z.optional(z.string()),
  /** Time to live of events, in seconds; the next two flags but one are in seconds, too. */
  eventTtl: z.optional(z.number()),
  maxRequestsInflight: z.optional(z.number()),
  maxMutatingRequestsInflight: z.optional(z.number()),
  requestTimeout: z.optional(z.number()),
})

export function addTuningFlags(command: Command): Command {
  return command
    .option(
      '--service-cluster-ip-range <cidrs>',
      'addresses of Services: one block, or one of each family separated by a comma (default: 10.0.0.0/16,fd00:10::/108)',
    )
    .addOption(
      duration('--event-ttl <duration>', 'keep events this long after they were written (default: 1h)'),
    )
    .addOption(count('--max-requests-inflight <number>', 'concurrent reads; more get a 429 (default: 400)'))
    .addOption(
      count('--max-mutating-requests-inflight <number>', 'concurrent writes; more get a 429 (default: 200)'),
    )
    .addOption(duration('--request-timeout <duration>', 'answer requests within this time (default: 1m)'))
}

/**
 * Returns the options that the flags stand for; a flag that is not given leaves its option out. @throws
 * UsageError
 */
export function tuningOf(
  flags: z.output<typeof TUNING>,
): Pick<ControlPlaneOptions, 'serviceRanges' | 'eventTtlSeconds' | 'limits'> {
  const { serviceClusterIpRange, eventTtl, maxRequestsInflight: reads } = flags
  const { maxMutatingRequestsInflight: writes, requestTimeout: timeoutSeconds } = flags
  const ranges = serviceClusterIpRange?.split(',').map((range) => range.trim())
  if (ranges?.includes(''))
    throw new UsageError(
      '--service-cluster-ip-range has an extra comma: give one block, or one of each family',
    )
  return {
    ...(ranges !== undefined && { serviceRanges: ranges }),
    ...(eventTtl !== undefined && { eventTtlSeconds: eventTtl }),
    limits: {
      ...(reads !== undefined && { reads }),
      ...(writes !== undefined && { writes }),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    },
  }
}

const count = (flag: string, help: string): Option => new Option(flag, help).argParser(parseCount)
const duration = (flag: string, help: string): Option => new Option(flag, help).argParser(parseSeconds)

const LARGEST_COUNT = 1_000_000

function parseCount(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > LARGEST_COUNT)
    throw new InvalidArgumentError(`It must be 1 to ${LARGEST_COUNT}.`)
  return value
}

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 }
/** A timer of Node holds no more milliseconds: some 24 days. */
const MAX_SECONDS = 2_147_483

/** Parses a duration as Go writes it to whole seconds. */
function parseSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+)(h|m|s)/gy)]
  const seconds = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0)
  if (parts.map(([part]) => part).join('') !== text || seconds < 1 || seconds > MAX_SECONDS)
    throw new InvalidArgumentError('It must be a duration from 1s to 596h, such as 90s, 1m30s or 1h.')
  return seconds
}
