import * as v from 'valibot'
import { MAX_BACKOFF_SECONDS, visibilityTimeoutSeconds } from '../../shared/queue/index.ts'
import { describeIssues, safeParse, strictObject } from '../../shared/schema/index.ts'
import {
  choice,
  describeSettings,
  integer,
  metaOf,
  parseSettings,
  type SettingDescription,
  type Settings,
  SettingsError,
  type SettingsInput,
  setting,
  truth,
} from '../../shared/settings/index.ts'

/** Seconds of a day. Dead letters are retained for 14 days, counted from when the message was first sent. */
const DAY_SECONDS = 86_400

/** CodeDeploy's own configurations for Lambda, without `LambdaAllAtOnce`. */
const GRADUAL = [
  'Canary10Percent5Minutes',
  'Canary10Percent10Minutes',
  'Canary10Percent15Minutes',
  'Canary10Percent30Minutes',
  'Linear10PercentEvery1Minute',
  'Linear10PercentEvery2Minutes',
  'Linear10PercentEvery3Minutes',
  'Linear10PercentEvery10Minutes',
] as const

const oneOf = (...numbers: readonly number[]) =>
  v.pipe(
    v.unknown(),
    v.transform(Number),
    v.number(),
    v.check((value) => numbers.includes(value), `must be one of ${numbers.join(', ')}`),
  )

/** Settings that only a deployment on AWS has; `sliceflow run` has all others too. */
const SCHEMAS = {
  sweepBatchWindow: setting(
    integer(0, 300),
    20,
    'SECONDS',
    'how long the sweep lane gathers messages before it calls the function, 0 to 300 s: a longer window makes fewer, fuller calls and later repairs',
  ),
  sweepBatchSize: setting(
    integer(1, 10_000),
    100,
    'N',
    'maximum number of messages in a call for the sweep lane, 1 to 10000; above 10 its batch window must be at least 1 s',
  ),
  sweepMaximumConcurrency: setting(
    integer(2, 1000),
    2,
    'N',
    'maximum number of concurrent calls for the sweep lane, 2 to 1000: more calls repair and audit faster, and load the API servers more',
  ),
  minimumPollers: setting(
    integer(0, 200),
    0,
    'N',
    'minimum number of event pollers provisioned for the live lane alone, 2 to 200, with maximumPollers: bursts are handled at once; some 6.75 $ a month for each (0.00925 $ an hour); 0: the pollers that all functions share',
  ),
  maximumPollers: setting(
    integer(0, 2000),
    0,
    'N',
    'maximum number of provisioned event pollers, 2 to 2000, each for up to 10 concurrent calls; they replace maximumConcurrency, which must be left out',
  ),
  queueRetention: setting(
    integer(60, 14 * DAY_SECONDS),
    4 * DAY_SECONDS,
    'SECONDS',
    'messages not handled within this time are lost (the next sweep makes up for it), 60 to 1209600 s',
  ),
  functionMemory: setting(
    integer(128, 10_240),
    512,
    'MB',
    'memory of the reconcile and audit functions, 128 to 10240 MB; CPU grows with it: 1769 MB are one vCPU',
  ),
  tracing: setting(
    truth(),
    false,
    'BOOLEAN',
    'true: X-Ray traces of the functions’ calls, one call a second and 5 % of the others, 5 $ a million: 13 $ a month at one call a second, 26 $ at 21, less below one; false: no traces, and no permission to write them',
  ),
  gradualDeployment: setting(
    choice(['none', ...GRADUAL]),
    'none',
    'CONFIGURATION',
    `how CodeDeploy shifts calls to a new version of the reconcile function: none: at once; ${GRADUAL.join(', ')}: gradually, with a rollback when calls fail in the new version (alarm NewVersionErrors), or more keys fail in it than in the old one at the same time (NewVersionFailures)`,
  ),
  relayCpu: setting(
    oneOf(256, 512, 1024, 2048, 4096),
    256,
    'UNITS',
    'CPU of each relay, in 1/1024 vCPU: 256, 512, 1024, 2048 or 4096',
  ),
  relayMemory: setting(
    integer(512, 30_720),
    512,
    'MB',
    'memory of each relay, in the sizes that Fargate has for its CPU; a relay needs some 1 kB for each pod that it watches',
  ),
  relayShards: setting(
    integer(1, 100),
    1,
    'N',
    'number of relays that divide the clusters among them, 1 to 100: more for many clusters; each is a Fargate task',
  ),
  latencyTarget: setting(
    integer(2, 3600),
    10,
    'SECONDS',
    'threshold of the alarm Latency: the 99th percentile over 5 minutes of the time from an event to its slices, 2 to 3600 s; a coalescingWindow in seconds is added, and a batchWindow, which is up to 20 s at low traffic however short it is',
  ),
  logRetention: setting(
    oneOf(1, 3, 5, 7, 14, 30, 60, 90, 120, 180, 365),
    30,
    'DAYS',
    'retention of logs: 1, 3, 5, 7, 14, 30, 60, 90, 120, 180 or 365 days',
  ),
  recordingRetention: setting(integer(1, 3650), 30, 'DAYS', 'retention of recordings, 1 to 3650 days'),
} as const

const SCHEMA = strictObject(SCHEMAS)

type OwnSettings = v.InferOutput<typeof SCHEMA>

/** Every setting of a deployment, with defaults filled in. */
export type DeploymentSettings = Settings & OwnSettings
export type DeploymentSettingsInput = SettingsInput & { readonly [Name in keyof OwnSettings]?: unknown }
type DeploymentSettingName = keyof DeploymentSettings
/** Settings as props have them, each of its own type; those not given have their defaults. */
export type DeploymentSettingsProps = {
  readonly [Name in Exclude<DeploymentSettingName, OfARelay>]?: DeploymentSettings[Name] | undefined
}

const OWN_NAMES = Object.keys(SCHEMAS) as (keyof OwnSettings)[]

/** Settings that the deployment sets for each relay; users cannot. */
export const SETTINGS_OF_A_RELAY = ['shard', 'stateDir'] as const satisfies readonly DeploymentSettingName[]
type OfARelay = (typeof SETTINGS_OF_A_RELAY)[number]

/**
 * Describes each setting in a line of documentation, those of the functions and the relay first.
 * @example
 * ```ts
 * describeDeploymentSettings().some(({ name }) => name === 'batchWindow') // => true
 * ```
 */
export function describeDeploymentSettings(): (Omit<SettingDescription, 'name'> & {
  name: DeploymentSettingName
})[] {
  const own = OWN_NAMES.map((name) => ({ name, ...metaOf(SCHEMAS[name]) }))
  return [...describeSettings(), ...own]
}

/** Describes the settings that a deployment may be given. */
export function describeSettable(): ReturnType<typeof describeDeploymentSettings> {
  const notToBeSet: readonly DeploymentSettingName[] = SETTINGS_OF_A_RELAY
  return describeDeploymentSettings().filter(({ name }) => !notToBeSet.includes(name))
}

/**
 * Checks settings alone and together, and fills in the defaults.
 * @throws SettingsError with everything that is wrong, each with its reason
 * @example
 * ```ts
 * parseDeploymentSettings({ batchWindow: 2 }).batchWindow // => 2
 * parseDeploymentSettings({ batchWindow: -1 }) // throws /batchWindow/
 * ```
 */
export function parseDeploymentSettings(input: DeploymentSettingsInput): DeploymentSettings {
  const isOwn = (name: string): boolean => (OWN_NAMES as readonly string[]).includes(name)
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  const problems: string[] = []
  const shared = collect(problems, () =>
    parseSettings(Object.fromEntries(entries.filter(([name]) => !isOwn(name)))),
  )
  const own = safeParse(SCHEMA, Object.fromEntries(entries.filter(([name]) => isOwn(name))))
  if (!own.success) problems.push(describeIssues(own.issues))
  if (shared === undefined || !own.success) throw new SettingsError(problems.join('; '))
  const settings = { ...shared, ...own.data }
  problems.push(...impossible(settings), ...impossiblePollers(settings, input))
  if (problems.length > 0) throw new SettingsError(problems.join('; '))
  return settings
}

function collect<T>(problems: string[], parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    problems.push(error.message)
    return undefined
  }
}

/** Finds settings that are allowed each and that AWS does not allow together. */
function impossible(settings: DeploymentSettings): string[] {
  const { sweepBatchSize, sweepBatchWindow, queueRetention, maxReceiveCount, sweepInterval } = settings
  const problems: string[] = []
  if (sweepBatchSize > 10 && sweepBatchWindow < 1)
    problems.push(
      'sweepBatchSize: above 10 needs a sweepBatchWindow of at least 1 s (a rule of Lambda’s event source mappings for SQS)',
    )
  const visibility = Math.max(visibilityOf(settings, 'live'), visibilityOf(settings, 'sweep'))
  const least = Math.max(visibility, MAX_BACKOFF_SECONDS) * maxReceiveCount
  if (queueRetention < least)
    problems.push(
      `queueRetention: ${queueRetention} s is below ${least} s (6 × functionTimeout + batch window + 20 s, and at least a back-off of ${MAX_BACKOFF_SECONDS} s, for each of maxReceiveCount receives): failing messages would expire before they reach the dead-letter queue`,
    )
  if (queueRetention > 13 * DAY_SECONDS)
    problems.push(
      'queueRetention: above 13 days; messages keep their age in the dead-letter queue, which holds 14 days, and would expire there at once',
    )
  if (sweepInterval % 60 !== 0 || sweepInterval < 60)
    problems.push(
      `sweepInterval: ${sweepInterval} s is not a whole number of minutes, as EventBridge Scheduler needs`,
    )
  return [...problems, ...relaySize(settings)]
}

/** Finds what Lambda refuses of provisioned pollers, as CDK would do in other words, after seconds. */
function impossiblePollers(
  { minimumPollers, maximumPollers }: OwnSettings,
  { maximumConcurrency }: DeploymentSettingsInput,
): string[] {
  if (minimumPollers === 0 && maximumPollers === 0) return []
  const problems: string[] = []
  if (minimumPollers < 2 || maximumPollers < minimumPollers)
    problems.push(
      `minimumPollers: ${minimumPollers} with maximumPollers ${maximumPollers}: provisioned pollers need a minimum of 2 or more, and a maximum that is not below it; give both, or neither`,
    )
  if (maximumConcurrency !== undefined)
    problems.push(
      'maximumConcurrency: an event source mapping with provisioned pollers has none: leave it out and bound calls by maximumPollers, or leave the pollers out',
    )
  return problems
}

/** Memory that Fargate offers with each CPU, in MB: smallest, largest, step. */
const FARGATE: Readonly<Record<number, readonly [number, number, number]>> = {
  256: [512, 2048, 512],
  512: [1024, 4096, 1024],
  1024: [2048, 8192, 1024],
  2048: [4096, 16_384, 1024],
  4096: [8192, 30_720, 1024],
}

function relaySize({ relayCpu, relayMemory }: DeploymentSettings): string[] {
  const [smallest = 0, largest = 0, step = 1] = FARGATE[relayCpu] ?? []
  // With 256 units there are 512, 1024 and 2048, and nothing in between.
  const isOffered =
    relayMemory >= smallest &&
    relayMemory <= largest &&
    relayMemory % step === 0 &&
    !(relayCpu === 256 && relayMemory === 1536)
  if (isOffered) return []
  return [
    `relayMemory: Fargate has no ${relayMemory} MB with ${relayCpu} CPU units, but ${smallest} to ${largest} MB in steps of ${step}`,
  ]
}

/** Returns the visibility timeout of the queue of a lane, in seconds: what AWS advises. */
export function visibilityOf(settings: DeploymentSettings, lane: 'live' | 'sweep'): number {
  return visibilityTimeoutSeconds({
    functionTimeoutSeconds: settings.functionTimeout,
    batchWindowSeconds: lane === 'live' ? settings.batchWindow : settings.sweepBatchWindow,
  })
}
