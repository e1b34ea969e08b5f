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
    'custom: manage Services without a selector that have the annotation sliceflow.dev/selector; replace: manage every Service with a selector, in place of the in-tree endpointslice-controller, which must be off',
  ),
  managedBy: setting(
    text(labelValueProblem),
    'sliceflow.dev',
    'VALUE',
    'value of the label endpointslice.kubernetes.io/managed-by: only slices with this value are ever written or deleted; the in-tree controller’s value, endpointslice-controller.k8s.io, needs mode replace',
  ),
  shadow: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: compare what Sliceflow would publish with the slices in the cluster, report the differences, and write nothing',
  ),
  maxEndpointsPerSlice: setting(
    integer(1, 1000, 'endpoints'),
    100,
    'N',
    'maximum number of endpoints in a slice, 1 to 1000: larger slices are fewer, but each change sends a larger one',
  ),
  packing: setting(
    choice(['upstream', 'compact']),
    'upstream',
    'POLICY',
    'upstream: slices are never merged, as in the in-tree controller; compact: slices are merged where that saves one, within compactWrites and compactFill',
  ),
  compactWrites: setting(
    integer(0, 1000, 'writes'),
    COMPACT_WRITES,
    'N',
    'with packing compact: maximum number of further writes that a plan may make to save slices, 0 to 1000, and no more than maximumWrites; 0: save a slice only where that costs no write',
  ),
  compactFill: setting(
    number(0.1, 1),
    COMPACT_FILL,
    'SHARE',
    'with packing compact: share of maxEndpointsPerSlice up to which merged slices are filled, 0.1 to 1, so that there is room for new endpoints',
  ),
  leftovers: setting(
    choice(['auto', 'keep', 'delete']),
    'auto',
    'POLICY',
    'what happens to our slices of a Service that lost its selector or annotation, or became an ExternalName: keep or delete; auto: delete in mode custom, keep in mode replace as the in-tree controller does; slices of a deleted Service are always deleted; slices that the other mode would keep are deleted only once others publish their endpoints, or after a release',
  ),
  mirrorEndpoints: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: mirror Endpoints that somebody wrote for a Service without a selector into slices, as the in-tree endpointslicemirroring-controller does; turn that controller off (--controllers=*,-endpointslice-mirroring-controller)',
  ),
  unreachableCluster: setting(
    choice(['keep', 'expire', 'drop']),
    'keep',
    'POLICY',
    'what happens to endpoints in a cluster that cannot be reached (annotation sliceflow.dev/cluster): keep them, remove them after unreachableClusterExpiry (expire), or remove them at once (drop)',
  ),
  unreachableClusterExpiry: setting(
    integer(1, 604_800, 'seconds'),
    3600,
    'SECONDS',
    'with unreachableCluster expire: endpoints that could not be verified for this time are removed at the next reconcile, 1 to 604800 s',
  ),
  clusterSets: setting(
    text(clusterSetsProblem),
    NO_CLUSTER_SETS,
    'JSON',
    'cluster sets, as a JSON list: a Service that one cluster of a set exports (ServiceExport, KEP-1645) is imported in all of its clusters; a set has a name, clusters (each a name, or a tagKey with a tagValue; an id, and a role: both, export, import or leave), namespaces, and its own unreachableCluster and unreachableClusterExpiry; none: no sets',
  ),
  maximumRemoval: setting(
    number(0, 1),
    1,
    'SHARE',
    'a plan that would remove more than this share of a Service’s ready endpoints is held until it is released, 0 to 1; 1: never held',
  ),
  maximumRemovalCount: setting(
    integer(0, 100_000, 'endpoints'),
    2,
    'N',
    'with maximumRemoval: a plan that removes no more ready endpoints than this is never held, so that small Services can be scaled to zero, 0 to 100000',
  ),
  heldPlanExpiry: setting(
    integer(0, 604_800, 'seconds'),
    3600,
    'SECONDS',
    'a held plan is applied at the first reconcile after this time even if nobody released it, 0 to 604800 s; 0: never',
  ),
  refusedAddresses: setting(
    text(rangesProblem),
    SPECIAL,
    'RANGES',
    'addresses in these CIDR ranges, separated by commas, are never published; special (always included): loopback, link-local, unspecified and multicast, the metadata and credential services of clouds, and IPv6 addresses that embed one of these (NAT64, 6to4, Teredo); none: every address is allowed',
  ),
  allowedPods: setting(
    text(podGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'pods that Services may select outside of their own namespace (annotations sliceflow.dev/cluster and /namespace): CLUSTER/NAMESPACE=CLUSTER/NAMESPACE, separated by commas; Services of the first may select pods of the second; * matches any text, and . on the right is the Service’s own cluster or namespace; none: no others',
  ),
  allowedNetworks: setting(
    text(addressGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'addresses on secondary networks (annotation sliceflow.dev/network) that Services may publish: CLUSTER/NAMESPACE=CIDR, separated by commas; anybody who may annotate a pod can choose them; none: no such addresses',
  ),
  allowedAddresses: setting(
    text(addressGrantsProblem),
    NO_GRANTS,
    'GRANTS',
    'addresses that Services may name in the annotation sliceflow.dev/addresses: CLUSTER/NAMESPACE=CIDR, separated by commas; none: no such addresses',
  ),
  selectorAliases: setting(
    text(selectorAliasesProblem),
    NO_ALIASES,
    'PROJECTS',
    'annotations of other projects that are read as the selector of a Service which has none of Sliceflow’s, separated by commas: danm (danm.k8s.io/selector, a JSON map of labels), calico (extensions.projectcalico.org/selector, in the syntax of kubectl -l); none: they are ignored',
  ),
  maximumEndpoints: setting(
    integer(0, 1_000_000, 'endpoints'),
    0,
    'N',
    'a Service that would have more endpoints than this is not written: its slices stay as they are, and an Event and a metric report it, 0 to 1000000; 0: no limit',
  ),
  maximumWrites: setting(
    integer(0, 10_000, 'slices'),
    0,
    'N',
    'maximum number of slices of one Service that are written at once; the rest of the plan follows a coalescing window later (auto: 0.5 s), 0 to 10000; 0: no limit',
  ),
  coalescingWindow: setting(
    wordOr(['auto'], 0, 300, 'seconds'),
    'auto',
    'SECONDS',
    'how long the relay gathers changes of a Service before it sends its key again; the key of a quiet Service is sent at once; auto: until its slices are written, and Pods that become unready or terminate for up to 1 s in a large Service and a sixth of that in one of 20 endpoints; 0 to 300 s: every change for this time, and changes that can wait for up to three times as long, at most 2 s, so that fewer slices are written; 0: sends every change at once',
  ),
  sweepCoalescingWindow: setting(
    number(0, 300, 'seconds'),
    0,
    'SECONDS',
    'the same for the sweep lane: the keys of a cluster that comes and goes are sent at most once in this time, 0 to 300 s',
  ),
  batchWindow: setting(
    integer(0, 300, 'seconds'),
    0,
    'SECONDS',
    'how long the live lane gathers messages before it calls the function, 0 to 300 s; 0: calls it as soon as there is a message',
  ),
  batchSize: setting(
    integer(1, 10_000, 'messages'),
    10,
    'N',
    'maximum number of messages in a call of the function, 1 to 10000; above 10 the batch window must be at least 1 s',
  ),
  maximumConcurrency: setting(
    integer(2, 1000, 'calls'),
    5,
    'N',
    'maximum number of concurrent calls of the function for each lane, 2 to 1000',
  ),
  keysPerCluster: setting(
    integer(1, 100, 'keys'),
    8,
    'N',
    'maximum number of keys of one cluster that a call works on concurrently, 1 to 100',
  ),
  apiCallsPerSecond: setting(
    integer(1, 10_000, 'calls'),
    1000,
    'N',
    'maximum number of calls a second to the API server of one cluster, for each process and without watches; after a quiet time twice as many may come at once, 1 to 10000',
  ),
  functionTimeout: setting(
    integer(1, 900, 'seconds'),
    60,
    'SECONDS',
    'time limit of a call of the function, 1 to 900 s; what is left of its batch then goes back to the queue',
  ),
  maxReceiveCount: setting(
    integer(5, 1000, 'tries'),
    12,
    'N',
    'number of receives after which a message goes to the dead-letter queue, 5 to 1000',
  ),
  recording: setting(
    wordOr(['off', 'on'], 0, 1),
    'off',
    'SHARE',
    'record which endpoints each write of a slice added, removed or changed, and why: off; on; or for this share of all Services, 0 to 1, each with all of its writes',
  ),
  logLevel: setting(
    choice(['debug', 'info', 'warn', 'error']),
    'info',
    'LEVEL',
    'lowest level of the lines that are logged: debug, info, warn or error',
  ),
  recordingPods: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: the record of each key that the relay sends names the Pods that changed, for history --pod; some 30 bytes for each Pod',
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
    'with traces: share of its changes that the relay traces, 0 to 1',
  ),
  shard: setting(
    text(shardProblem),
    '0/1',
    'INDEX/COUNT',
    'which share of the clusters the relay watches: 0/3, 1/3 and 2/3 are three relays that divide them, each cluster always with the same relay',
  ),
  stateDir: setting(
    text(() => undefined),
    '',
    'DIRECTORY',
    'directory in which the relay keeps a checkpoint of each cluster, so that a restart sends only the keys that changed meanwhile; empty: a restart sends every key',
  ),
  relayStandby: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: the relay is a standby for another relay of the same clusters: it sends only keys whose slices have stayed wrong for standbyDelay',
  ),
  standbyDelay: setting(
    number(0.5, 300, 'seconds'),
    2,
    'SECONDS',
    'how long slices must be wrong before a standby sends their key, 0.5 to 300 s; a time shorter than a change usually takes makes it send keys that are already on their way',
  ),
  resyncInterval: setting(
    number(10, 86_400, 'seconds'),
    600,
    'SECONDS',
    'how often the relay compares every Service with its slices as watched, without reading anything, and sends the keys of those that are not right, 10 to 86400 s',
  ),
  auditInterval: setting(
    integer(600, 604_800, 'seconds'),
    86_400,
    'SECONDS',
    'how often every Service is reconciled whatever the relay knows, spread evenly over slots of 600 s, through the sweep lane; the slices that this corrects are counted, 600 to 604800 s',
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
  return `${nameOf(name)}: is not a setting${meant === undefined ? '' : `; did you mean ${nameOf(meant)}?`}`
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
