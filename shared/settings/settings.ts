import * as z from 'zod/mini'
import { nearest, safeParse } from '../schema/index.ts'
import { rangesProblem, SPECIAL } from './address-ranges.ts'
import { clusterSetsProblem, NO_CLUSTER_SETS } from './cluster-sets.ts'
import { COMPACT_FILL, COMPACT_WRITES, contradictions } from './contradictions.ts'
import { addressGrantsProblem, NO_GRANTS, podGrantsProblem } from './grants.ts'
import { NO_ALIASES, selectorAliasesProblem } from './selector-aliases.ts'
import { choice, integer, metaOf, number, type SettingMeta, setting, text, truth, wordOr } from './setting.ts'
import { labelValueProblem, shardProblem } from './text-settings.ts'
import { NO_TRACES, traceEndpointProblem } from './trace-endpoint.ts'

/** Checks each setting alone, as flags, environments and values of other programs give it. */
export const SETTING_SCHEMAS = {
  mode: setting(
    choice(['custom', 'replace']),
    'custom',
    'MODE',
    'custom: Services without a selector that carry the annotation sliceflow.dev/selector; replace: every Service with a selector, the in-tree endpointslice-controller being off',
  ),
  managedBy: setting(
    text(labelValueProblem),
    'sliceflow.dev',
    'VALUE',
    'value of the label endpointslice.kubernetes.io/managed-by: only slices with it are ever written or deleted; the in-tree controller’s, endpointslice-controller.k8s.io, needs mode replace',
  ),
  shadow: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: compare what Sliceflow would publish with the slices that the cluster has, report what differs, and write nothing at all',
  ),
  maxEndpointsPerSlice: setting(
    integer(1, 1000, 'endpoints'),
    100,
    'N',
    'endpoints a slice at most, 1 to 1000: larger slices are fewer, and each change of one is larger',
  ),
  packing: setting(
    choice(['upstream', 'compact']),
    'upstream',
    'POLICY',
    'upstream: slices are never merged, as in the in-tree controller; compact: a slice is given up where a whole one can be saved, within compactWrites and compactFill',
  ),
  compactWrites: setting(
    integer(0, 1000, 'writes'),
    COMPACT_WRITES,
    'N',
    'with packing compact: a plan makes so many further writes for it at most, 0 to 1000, and no more than maximumWrites; 0: slices go only where that costs none',
  ),
  compactFill: setting(
    number(0.1, 1),
    COMPACT_FILL,
    'SHARE',
    'with packing compact: slices are filled up to this share of maxEndpointsPerSlice by it, 0.1 to 1, so that there is room for endpoints that come',
  ),
  leftovers: setting(
    choice(['auto', 'keep', 'delete']),
    'auto',
    'POLICY',
    'slices of ours whose Service lost its selector or annotation, or became an ExternalName: keep or delete them; auto: delete in custom mode, keep in replace mode as the in-tree controller does; those of a deleted Service always go; those that the other mode would keep only once others publish their endpoints, or they are released',
  ),
  unreachableCluster: setting(
    choice(['keep', 'expire', 'drop']),
    'keep',
    'POLICY',
    'endpoints in a cluster that cannot be reached (annotation sliceflow.dev/cluster): keep them, take them away when that lasts (expire), or at once (drop)',
  ),
  unreachableClusterExpiry: setting(
    integer(1, 604_800, 'seconds'),
    3600,
    'SECONDS',
    'with unreachableCluster expire: endpoints that could not be verified for so long are taken away at the next look, 1 to 604800 s',
  ),
  clusterSets: setting(
    text(clusterSetsProblem),
    NO_CLUSTER_SETS,
    'JSON',
    'cluster sets whose exported Services (ServiceExport, KEP-1645) are imported in each of their clusters, a JSON list of sets: name, clusters (each a name, or a tagKey with a tagValue; an id, and a role: both, export, import or leave), namespaces, and its own unreachableCluster and unreachableClusterExpiry; none: there is no set',
  ),
  maximumRemoval: setting(
    number(0, 1),
    1,
    'SHARE',
    'a plan that leaves a Service fewer ready endpoints by more than this share of them is held until it is released, 0 to 1; 1: never held',
  ),
  maximumRemovalCount: setting(
    integer(0, 100_000, 'endpoints'),
    2,
    'N',
    'with maximumRemoval: the loss of up to so many ready endpoints is never held, so that small Services can be scaled to zero, 0 to 100000',
  ),
  heldPlanExpiry: setting(
    integer(0, 604_800, 'seconds'),
    3600,
    'SECONDS',
    'a held plan is applied at the first look after this time even if nobody released it, 0 to 604800 s; 0: never',
  ),
  refusedAddresses: setting(
    text(rangesProblem),
    SPECIAL,
    'RANGES',
    'addresses in these CIDR ranges, separated by commas, are never published; special (always included): loopback, link-local, unspecified and multicast, the metadata and credentials of clouds, and IPv6 addresses that stand for one of these (NAT64, 6to4, Teredo); none: any address may be',
  ),
  allowedPods: setting(
    text(podGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'pods that Services may take beyond those of their own namespace (annotations sliceflow.dev/cluster and /namespace): CLUSTER/NAMESPACE=CLUSTER/NAMESPACE, separated by commas; Services of the first may take pods of the second; * stands for any text, and . on the right for the Service’s own; none: there is no such source',
  ),
  allowedNetworks: setting(
    text(addressGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'addresses on secondary networks (annotation sliceflow.dev/network) that Services may publish: CLUSTER/NAMESPACE=CIDR, separated by commas; whoever may annotate a pod chooses them; none: there is no such source',
  ),
  allowedAddresses: setting(
    text(addressGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'addresses that Services may name themselves (annotation sliceflow.dev/addresses): CLUSTER/NAMESPACE=CIDR, separated by commas; none: there is no such source',
  ),
  selectorAliases: setting(
    text(selectorAliasesProblem),
    NO_ALIASES,
    'PROJECTS',
    'annotations of other projects that select pods of a Service without one of Sliceflow’s, separated by commas: danm (danm.k8s.io/selector, a JSON map of labels), calico (extensions.projectcalico.org/selector, as kubectl -l takes it); none: they mean nothing',
  ),
  maximumEndpoints: setting(
    integer(0, 1_000_000, 'endpoints'),
    0,
    'N',
    'a Service that would have more endpoints than this in all of its slices is not written: what is published stays, and an Event and a metric tell, 0 to 1000000; 0: no limit',
  ),
  maximumWrites: setting(
    integer(0, 10_000, 'slices'),
    0,
    'N',
    'slices of one Service that are written at once at most; the rest of a larger plan follows a coalescing window later (auto: 0.5 s), 0 to 10000; 0: no limit',
  ),
  coalescingWindow: setting(
    wordOr(['auto'], 0, 300, 'seconds'),
    'auto',
    'SECONDS',
    'the relay sends a quiet key at once; auto: then again once its slices were written, while Pods that are not ready or terminate are gathered for 1 s in a large Service and a sixth of it in one of 20 endpoints; a time, 0 to 300 s: all changes are gathered for it, and those that can wait for up to three times of it, at most 2 s, so that fewer slices are written; 0: sends at once',
  ),
  sweepCoalescingWindow: setting(
    number(0, 300, 'seconds'),
    0,
    'SECONDS',
    'the same of the sweep lane: a cluster that comes and goes has all of its keys sent at most once in this time, 0 to 300 s',
  ),
  batchWindow: setting(
    integer(0, 300, 'seconds'),
    0,
    'SECONDS',
    'the live lane gathers messages for so long before it calls the function, 0 to 300 s; 0: as soon as there is one',
  ),
  batchSize: setting(
    integer(1, 10_000, 'messages'),
    10,
    'N',
    'messages a call at most, 1 to 10000; above 10 the batch window must be at least 1 s',
  ),
  maximumConcurrency: setting(
    integer(2, 1000, 'calls'),
    5,
    'N',
    'calls of the function at once, a lane, 2 to 1000',
  ),
  keysPerCluster: setting(
    integer(1, 100, 'keys'),
    8,
    'N',
    'keys of one cluster that one call works on at once, 1 to 100',
  ),
  apiCallsPerSecond: setting(
    integer(1, 10_000, 'calls'),
    1000,
    'N',
    'calls to the API server of one cluster a second, of each process and without watches; twice as many may come at once after a quiet time, 1 to 10000',
  ),
  functionTimeout: setting(
    integer(1, 900, 'seconds'),
    60,
    'SECONDS',
    'a call may take so long; what is left of its batch then goes back to the queue, 1 to 900 s',
  ),
  maxReceiveCount: setting(
    integer(5, 1000, 'tries'),
    12,
    'N',
    'a message is tried so often before it goes to the dead letters, 5 to 1000',
  ),
  recording: setting(
    wordOr(['off', 'on'], 0, 1),
    'off',
    'SHARE',
    'records which endpoints came, went and changed by each write of a slice, and why: off; on; or of a share of all Services, 0 to 1, each as a whole',
  ),
  logLevel: setting(
    choice(['debug', 'info', 'warn', 'error']),
    'info',
    'LEVEL',
    'lines below this level are not written: debug, info, warn or error',
  ),
  recordingPods: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: what is recorded of each key that the relay sends names the Pods that changed, for history --pod; some 30 bytes a Pod',
  ),
  traces: setting(
    text(traceEndpointProblem),
    NO_TRACES,
    'URL',
    'where traces of changes go, from the watch event over the message to the writes: off, or the base URL of an OpenTelemetry collector (OTLP over HTTP, JSON)',
  ),
  traceShare: setting(
    number(0, 1),
    1,
    'SHARE',
    'with traces: the relay traces this share of the changes that it sends, 0 to 1',
  ),
  shard: setting(
    text(shardProblem),
    '0/1',
    'INDEX/COUNT',
    'the relay follows its share of the clusters: 0/3, 1/3 and 2/3 are three relays that share them, each cluster always with the same one',
  ),
  stateDir: setting(
    text(() => undefined),
    '',
    'DIRECTORY',
    'the relay keeps a checkpoint of each cluster there, so that a restart sends the keys that changed meanwhile and not all; empty: it sends all',
  ),
  relayStandby: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: the relay stands by for another one of the same clusters: it sends only the keys whose slices have stayed wrong for standbyDelay',
  ),
  standbyDelay: setting(
    number(0.5, 300, 'seconds'),
    2,
    'SECONDS',
    'a standby sends a key once its slices have been wrong for so long, 0.5 to 300 s; less than a change takes otherwise makes it send what is on its way',
  ),
  resyncInterval: setting(
    number(10, 86_400, 'seconds'),
    600,
    'SECONDS',
    'the relay judges every key in this time by what it has watched, which reads nothing, and sends those whose slices are not right, 10 to 86400 s',
  ),
  auditInterval: setting(
    integer(600, 604_800, 'seconds'),
    86_400,
    'SECONDS',
    'every key is looked at in this time whatever the relay knows, spread evenly in slots of 600 s, through the sweep lane; what that finds is counted, 600 to 604800 s',
  ),
} as const

const SCHEMA = z.strictObject(SETTING_SCHEMAS).check(
  z.superRefine((value, context) => {
    for (const { name, message } of contradictions(value))
      context.addIssue({ code: 'custom', path: [name], message })
  }),
)

/** Every setting with its unit in the field’s documentation: seconds, counts or names. */
export type Settings = z.output<typeof SCHEMA>
export type Mode = Settings['mode']
export type SettingName = keyof Settings
export type SettingsInput = { readonly [Name in SettingName]?: unknown }

/** Stands for `auto` where one time is asked for. */
const AUTO_WINDOW_SECONDS = 0.5

/**
 * Returns the coalescing window of a change that is no more urgent than others, in seconds; 0.5 with `auto`.
 */
export const windowSeconds = ({ coalescingWindow }: Pick<Settings, 'coalescingWindow'>): number =>
  coalescingWindow === 'auto' ? AUTO_WINDOW_SECONDS : coalescingWindow

/** Returns the share of Services that are recorded, 0 to 1. */
export function recordedShare({ recording }: Pick<Settings, 'recording'>): number {
  if (typeof recording === 'number') return recording
  return recording === 'on' ? 1 : 0
}

/** A setting that cannot be used; the message names it, says what is wrong and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * Checks settings and fills in the defaults.
 * @param nameOf how the reader knows a setting: as a flag, an environment variable, a prop
 * @throws SettingsError naming every setting that is unknown or out of range, with its value, what is allowed
 *   and what is nearest
 */
export function parseSettings(
  input: SettingsInput,
  nameOf: (name: string) => string = (name) => name,
): Settings {
  const result = safeParse(SCHEMA, input)
  if (result.success) return result.data
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownSetting(key, nameOf))
      : [`${nameOf(String(issue.path[0]))}: ${issue.message}`],
  )
  throw new SettingsError(problems.join('; '))
}

function unknownSetting(name: string, nameOf: (name: string) => string): string {
  const meant = nearest(name, Object.keys(SETTING_SCHEMAS))
  return `${nameOf(name)}: is no setting${meant === undefined ? '' : `; did you mean ${nameOf(meant)}?`}`
}

/**
 * Checks one setting alone, of a program that needs no other.
 * @param nameOf as of {@link parseSettings}
 * @throws SettingsError
 */
export function parseSetting<Name extends SettingName>(
  name: Name,
  value: unknown,
  nameOf: (name: string) => string = (text) => text,
): Settings[Name] {
  const result = safeParse(SETTING_SCHEMAS[name], value)
  if (result.success) return result.data as Settings[Name]
  throw new SettingsError(result.error.issues.map(({ message }) => `${nameOf(name)}: ${message}`).join('; '))
}

export interface SettingDescription extends SettingMeta {
  readonly name: SettingName
}

/** Describes each setting in one line of help or documentation, in the order of the schema. */
export function describeSettings(): SettingDescription[] {
  return (Object.keys(SETTING_SCHEMAS) as SettingName[]).map((name) => ({
    name,
    ...metaOf(SETTING_SCHEMAS[name]),
  }))
}
