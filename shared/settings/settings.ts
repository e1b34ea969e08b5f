import * as z from 'zod'
import { rangesProblem, SPECIAL_RANGES } from './address-ranges.ts'

/** What a setting says of itself; the command's help, the functions' environment and the deployment read it here. */
export interface SettingMeta {
  /** How the value is shown in help, such as `SECONDS`. */
  readonly placeholder: string
}

const setting = <T extends z.ZodType>(schema: T, placeholder: string, description: string): T =>
  schema.meta({ placeholder, description } satisfies SettingMeta & { description: string })

const number = (minimum: number, maximum: number): z.ZodCoercedNumber =>
  z.coerce.number().min(minimum).max(maximum)
const integer = (minimum: number, maximum: number): z.ZodCoercedNumber =>
  z.coerce.number().int().min(minimum).max(maximum)

/** A label value (apimachinery validation): at most 63 of letters, digits, `-`, `_`, `.`, beginning and ending with one of the first two. */
const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

const SCHEMAS = {
  mode: setting(
    z.enum(['custom', 'replace']).default('custom'),
    'MODE',
    'custom: Services without a selector that carry the annotation sliceflow.dev/selector; replace: every Service with a selector, the in-tree endpointslice-controller being off',
  ),
  managedBy: setting(
    z
      .string()
      .regex(LABEL_VALUE, 'must be a label value: at most 63 letters, digits, "-", "_" or "."')
      .default('sliceflow.dev'),
    'VALUE',
    'value of the label endpointslice.kubernetes.io/managed-by: only slices with it are ever written or deleted',
  ),
  shadow: setting(
    z.union([z.boolean(), z.stringbool()]).default(false),
    'BOOLEAN',
    'true: compare what Sliceflow would publish with the slices that the cluster has, report what differs, and write nothing at all',
  ),
  maxEndpointsPerSlice: setting(
    integer(1, 1000).default(100),
    'N',
    'endpoints a slice at most, 1 to 1000: larger slices are fewer, and each change of one is larger',
  ),
  packing: setting(
    z.enum(['upstream', 'compact']).default('upstream'),
    'POLICY',
    'upstream: slices are never merged, as in the in-tree controller; compact: a slice is given up where a whole one can be saved, for at most 8 further writes each time',
  ),
  leftovers: setting(
    z.enum(['auto', 'keep', 'delete']).default('auto'),
    'POLICY',
    'slices of ours whose Service lost its selector or annotation, or became an ExternalName: keep or delete them; auto: delete in custom mode, keep in replace mode as the in-tree controller does; those of a deleted Service always go',
  ),
  unreachableCluster: setting(
    z.enum(['keep', 'expire', 'drop']).default('keep'),
    'POLICY',
    'endpoints in a cluster that cannot be reached (annotation sliceflow.dev/cluster): keep them, take them away when that lasts (expire), or at once (drop)',
  ),
  unreachableClusterExpiry: setting(
    integer(1, 604_800).default(3600),
    'SECONDS',
    'with unreachableCluster expire: endpoints that could not be verified for so long are taken away at the next look, 1 to 604800 s',
  ),
  maximumRemoval: setting(
    number(0, 1).default(1),
    'SHARE',
    'a plan that leaves a Service fewer ready endpoints by more than this share of them is held until it is released, 0 to 1; 1: never held',
  ),
  maximumRemovalCount: setting(
    integer(0, 100_000).default(2),
    'N',
    'with maximumRemoval: the loss of up to so many ready endpoints is never held, so that small Services can be scaled to zero, 0 to 100000',
  ),
  heldPlanExpiry: setting(
    integer(0, 604_800).default(3600),
    'SECONDS',
    'a held plan is applied at the first look after this time even if nobody released it, 0 to 604800 s; 0: never',
  ),
  refusedAddresses: setting(
    z
      .string()
      .superRefine((text, context) => {
        const message = rangesProblem(text)
        if (message !== undefined) context.addIssue({ code: 'custom', message })
      })
      .default(SPECIAL_RANGES),
    'RANGES',
    'addresses in these CIDR ranges, separated by commas, are never published; special (always included): loopback, link-local with the cloud’s metadata, unspecified and multicast; none: any address may be',
  ),
  maximumWrites: setting(
    integer(0, 10_000).default(0),
    'N',
    'slices of one Service that are written at once at most; the rest of a larger plan follows a coalescing window later, 0 to 10000; 0: no limit',
  ),
  coalescingWindow: setting(
    number(0, 300).default(0.5),
    'SECONDS',
    'the relay sends a quiet key at once, and then at most once in this time, 0 to 300 s; views alike',
  ),
  sweepCoalescingWindow: setting(
    number(0, 300).default(0),
    'SECONDS',
    'the same of the sweep lane: a cluster that comes and goes has all of its keys sent at most once in this time, 0 to 300 s',
  ),
  batchWindow: setting(
    integer(0, 300).default(0),
    'SECONDS',
    'the live lane gathers messages for so long before it calls the function, 0 to 300 s; 0: as soon as there is one',
  ),
  batchSize: setting(
    integer(1, 10_000).default(10),
    'N',
    'messages a call at most, 1 to 10000; above 10 the batch window must be at least 1 s',
  ),
  maximumConcurrency: setting(
    integer(2, 1000).default(5),
    'N',
    'calls of the function at once, a lane, 2 to 1000',
  ),
  keysPerCluster: setting(
    integer(1, 100).default(8),
    'N',
    'keys of one cluster that one call works on at once, 1 to 100',
  ),
  apiCallsPerSecond: setting(
    integer(1, 10_000).default(500),
    'N',
    'calls to the API server of one cluster a second, of each process and without watches; twice as many may come at once after a quiet time, 1 to 10000',
  ),
  functionTimeout: setting(
    integer(1, 900).default(60),
    'SECONDS',
    'a call may take so long; what is left of its batch then goes back to the queue, 1 to 900 s',
  ),
  maxReceiveCount: setting(
    integer(5, 1000).default(12),
    'N',
    'a message is tried so often before it goes to the dead letters, 5 to 1000',
  ),
  shard: setting(
    z
      .string()
      .regex(/^\d{1,3}\/[1-9]\d{0,2}$/, 'must be INDEX/COUNT, such as 0/3 for the first of three relays')
      .refine((text) => parseInt(text, 10) < Number(text.split('/')[1]), 'the index must be below the count')
      .default('0/1'),
    'INDEX/COUNT',
    'the relay follows its share of the clusters: 0/3, 1/3 and 2/3 are three relays that share them, each cluster always with the same one',
  ),
  stateDir: setting(
    z.string().default(''),
    'DIRECTORY',
    'the relay keeps a checkpoint of each cluster there, so that a restart sends the keys that changed meanwhile and not all; empty: it sends all',
  ),
  resyncInterval: setting(
    number(10, 86_400).default(600),
    'SECONDS',
    'every key of every cluster is looked at again in this time, through the sweep lane, 10 to 86400 s',
  ),
} as const

const SCHEMA = z.strictObject(SCHEMAS).superRefine((value, context) => {
  if (value.batchSize > 10 && value.batchWindow < 1) {
    context.addIssue({
      code: 'custom',
      path: ['batchSize'],
      message:
        'above 10 needs a batch window of at least 1 s (a rule of Lambda’s event source mappings for SQS)',
    })
  }
})

/** Every setting with its unit in the field’s documentation: seconds, counts or names. */
export type Settings = z.output<typeof SCHEMA>
export type Mode = Settings['mode']
export type SettingName = keyof Settings
export type SettingsInput = { readonly [Name in SettingName]?: unknown }

/** A setting that cannot be used; the message names it, says what is wrong and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * Checks settings and fills in the defaults.
 * @param nameOf how the reader knows a setting: as a flag, an environment variable, a prop
 * @throws SettingsError naming every setting that is unknown or out of range
 */
export function parseSettings(
  input: SettingsInput,
  nameOf: (name: string) => string = (name) => name,
): Settings {
  const result = SCHEMA.safeParse(input)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => {
    const name =
      issue.code === 'unrecognized_keys' ? issue.keys.map(nameOf).join(', ') : nameOf(String(issue.path[0]))
    return `${name}: ${issue.message}`
  })
  throw new SettingsError(problems.join('; '))
}

export interface SettingDescription {
  readonly name: SettingName
  readonly placeholder: string
  readonly description: string
  readonly default: string | number | boolean
}

/** One line of help or documentation a setting, in the order of the schema. */
export function describeSettings(): SettingDescription[] {
  return (Object.keys(SCHEMAS) as SettingName[]).map((name) => {
    const schema = SCHEMAS[name]
    const meta = schema.meta() as unknown as SettingMeta & { description: string }
    return {
      name,
      placeholder: meta.placeholder,
      description: meta.description,
      default: schema.parse(undefined),
    }
  })
}

/** `maxEndpointsPerSlice` → `--max-endpoints-per-slice` */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** `maxEndpointsPerSlice` → `SLICEFLOW_MAX_ENDPOINTS_PER_SLICE` */
export const variableOf = (name: string): string =>
  `SLICEFLOW_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
