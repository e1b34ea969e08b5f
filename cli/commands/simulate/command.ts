import { type Command, InvalidArgumentError } from 'commander'
import { ENCODINGS, POLICY_NAMES, PRESET_NAMES } from '../../../shared/simulation/index.ts'
import { OUTPUT } from '../../options/common.ts'
import { createCommand } from '../../options/create-command.ts'
import { choice, flag, type groupFlags, listOf, number, whole } from '../../options/flags.ts'
import { parseTime } from '../../options/time.ts'

const HELP = `
Nothing is read from a cluster and nothing is written: Services, Pods and time are simulated, or taken from a recording, with the planning
and the coalescing that Sliceflow runs. The same seed gives the same result.

Policies:
  endpoints     one v1 Endpoints object for all endpoints of a Service
  single        an EndpointSlice for each endpoint
  in-tree       slices packed as the in-tree controller does (packing: upstream)
  compact       and merged where a whole one can be saved (packing: compact)
  noisy         as in-tree, but what becomes unready is in smaller slices of its own, of which there are a quarter more at most; simulated only

Workloads:
  churn         Pods become unready and ready again, a change every --mean-change seconds of each; a share of them may be noisy
  rolling       every Pod is replaced, within --surge and --unavailable
  scale         --factor times as many Pods, and back
  node-loss     a Node is found missing, and its Pods are replaced at their eviction
  zone-loss     the same of all Nodes of a zone
  --recording   the content of a recording of one cluster: Services, Pods and their changes, at the times at which the relay saw them, and syncs
                that take as long as they did. It is read again for each run, never more of it at once than a change takes to be written;
                a line that cannot be read is named on standard error, and the rest follows. Of what was undone before it was written, and of
                Pods that are in no slice, it knows nothing: record with a short window to try longer ones.

What a run prints, of each policy, window and slice size: writes, bytes sent to all nodes and stored in etcd, slices to the fewest that
could hold the endpoints (mean over time, most), how late changes are published, messages, calls of the function, reads of the API server,
GB-seconds, and what messages and calls cost in a month, with their logs. --advise also tries batch windows with what it
advises, and prints the command that deploys it.

-o json prints one object. With --preset: {preset, policies: {NAME: {create, update, rolling: {writes, watchEvents, bytesSent,
bytesStored}}}}; otherwise {runs: [{policy, coalescingWindow, maxEndpointsPerSlice, batchWindow,
batchSize, create, run, dollarsAMonth}]}. Bytes are over all nodes.

Examples:
  The tables of KEP-752, measured:
    $ sliceflow simulate --preset kep-large
  What does a window cost in delay, and what does it save, in a rolling update of 500 Pods?
    $ sliceflow simulate --workload rolling --endpoints 500 --nodes 100 --coalescing-window auto,0,0.5,2
  What does each rate of changes cost, from one per Pod and day to one per Pod and hour?
    $ sliceflow simulate --endpoints 20000 --nodes 5000 --mean-change 86400,21600,3600 --policy in-tree --coalescing-window auto,30
  Which settings for 50 Services of 200 Pods, when all but 1 % shall be published within a second?
    $ sliceflow simulate --services 50 --endpoints 200 --advise --latest 1000
  What does a batch window save on AWS, and what does it cost in delay, with 20 changes a second? As a curve:
    $ sliceflow simulate --services 200 --endpoints 100 --mean-change 1000 --duration 300 --policy in-tree --batch-window 0,1,2,5 --report curve.html
  Two settings in one rolling update:
    $ sliceflow simulate --workload rolling --compare coalescingWindow=auto coalescingWindow=0.5,policy=compact
  What is hit first with 100 Services of 20 Pods in each of 1 to 10,000 clusters?
    $ sliceflow simulate --services 100 --endpoints 20 --scale
  The same as a page with charts:
    $ sliceflow simulate --services 100 --endpoints 20 --scale --report fleet.html
  What would a window of a second have changed in the last day? And which settings would have suited it?
    $ sliceflow simulate --recording record.ndjson --since 1d --compare coalescingWindow=auto coalescingWindow=1
    $ sliceflow simulate --recording record.ndjson --since 1d --advise --latest 1000
  The same of a deployment's recording:
    $ sliceflow simulate --recording s3://BUCKET/recordings/ --cluster eu-1 --since 1d --policy in-tree,compact
  Charts of a rolling update by each policy, to open in a browser:
    $ sliceflow simulate --workload rolling --report rolling.html
  Which slice size suits 50 Services of 200 Pods of which a few flap?
    $ sliceflow simulate --services 50 --endpoints 200 --noisy-share 0.02 --policy in-tree --max-endpoints-per-slice 50,100,200`

const WORKLOAD_NAMES = ['churn', 'rolling', 'scale', 'node-loss', 'zone-loss'] as const
export type WorkloadName = (typeof WORKLOAD_NAMES)[number]

const amount = whole(1, 1_000_000)
const share = number(0, 1)
const OF_RECORDING = { conflicts: ['preset', 'scale'] }

/** Makes flags of workloads that are deleted and made again. */
const REPLACED = {
  perSecond: flag('--per-second <n>', 'rolling, scale: Pods of a Service created or deleted a second', {
    parse: positive,
    default: 20,
  }),
  termination: flag('--termination <seconds>', 'rolling, scale: time that a Pod takes to terminate', {
    parse: number(0),
    default: 2,
  }),
}

export const GROUPS = {
  workload: {
    preset: choice('--preset <name>', 'a sample case of KEP-752', PRESET_NAMES),
    workload: choice('--workload <name>', 'what happens to the Pods', WORKLOAD_NAMES, {
      default: 'churn',
    }),
  },
  recorded: {
    recording: flag(
      '--recording <source...>',
      'replay a recording instead: files of "run --record FILE", or s3://BUCKET/PREFIX',
      { conflicts: ['workload', 'preset', 'scale'] },
    ),
    cluster: flag('--cluster <name>', 'recording: only this cluster', OF_RECORDING),
    since: flag(
      '--since <time>',
      'recording: only from this time on; an RFC 3339 time, or how long ago, such as 15m',
      { ...OF_RECORDING, parse: parseTime },
    ),
    until: flag('--until <time>', 'recording: only up to this time, in the same formats', {
      ...OF_RECORDING,
      parse: parseTime,
    }),
  },
  size: {
    services: flag('--services <n>', 'Services', { parse: amount, default: 1 }),
    endpoints: flag('--endpoints <n>', 'Pods of each Service', { parse: amount, default: 1000 }),
    nodes: flag(
      '--nodes <n>',
      'Nodes, each of which watches the slices (default: 100; for a recording: those that it names)',
      { parse: amount },
    ),
  },
  churn: {
    duration: flag('--duration <seconds>', 'churn: simulated time', { parse: positive, default: 3600 }),
    meanChange: flag(
      '--mean-change <seconds>',
      'churn: mean time between two changes of a Pod; one or more',
      { parse: listOf(positive), default: [3600] },
    ),
    recovery: flag('--recovery <seconds>', 'churn: mean time that a Pod is unready', {
      parse: positive,
      default: 30,
    }),
    noisyShare: flag('--noisy-share <share>', 'churn: share of the Pods that are noisy, 0 to 1', {
      parse: share,
      default: 0,
    }),
    noisyMeanChange: flag(
      '--noisy-mean-change <seconds>',
      'churn: mean time between two changes of a noisy Pod',
      { parse: positive, default: 30 },
    ),
  },
  rolling: {
    surge: flag('--surge <share>', 'rolling: share of Pods that may be added (maxSurge)', {
      parse: share,
      default: 0.25,
    }),
    unavailable: flag(
      '--unavailable <share>',
      'rolling: share of Pods that may be missing (maxUnavailable)',
      { parse: share, default: 0.25 },
    ),
    startup: flag('--startup <seconds>', "rolling: time from a Pod's address until it is ready", {
      parse: number(0),
      default: 0,
    }),
    ...REPLACED,
  },
  scaling: {
    factor: flag('--factor <n>', 'scale: the largest number of Pods, as a multiple of the first', {
      parse: positive,
      default: 2,
    }),
    ...REPLACED,
  },
  loss: {
    eviction: flag('--eviction <seconds>', 'node-loss, zone-loss: time until Pods are evicted', {
      parse: number(0),
      default: 300,
    }),
  },
  tried: {
    policy: flag('--policy <names>', 'one or more, separated by commas (default: all)', {
      parse: listOf(parsePolicy),
    }),
    coalescingWindow: flag(
      '--coalescing-window <seconds>',
      'auto, or seconds; one or more (default: auto; for a preset: 0; for a recording: as recorded)',
      { parse: listOf((text) => (text === 'auto' ? text : number(0, 300)(text))) },
    ),
    maxEndpointsPerSlice: flag(
      '--max-endpoints-per-slice <n>',
      'one or more (default: 100; for a recording: as recorded)',
      { parse: listOf(whole(1, 1000)) },
    ),
    batchWindow: flag(
      '--batch-window <seconds>',
      'on AWS: seconds for which messages are gathered before the function is called; one or more (default: 0)',
      { parse: listOf(whole(0, 300)) },
    ),
  },
  batches: {
    batchSize: flag('--batch-size <n>', 'on AWS: most messages of a call (default: 10)', {
      parse: amount,
    }),
    maximumConcurrency: flag('--maximum-concurrency <n>', 'on AWS: most calls at once (default: 5)', {
      parse: amount,
    }),
    maximumPollers: flag(
      '--maximum-pollers <n>',
      'on AWS: provisioned pollers, each for 10 calls at once, in place of --maximum-concurrency (default: 5 that all functions share)',
      { parse: whole(2, 2000), conflicts: 'maximumConcurrency' },
    ),
  },
  asked: {
    scale: flag(
      '--scale',
      'the same Services in 1 to 10,000 clusters: which limit is hit first, and which setting moves it',
    ),
    advise: flag('--advise', 'recommend settings for the workload, and say why'),
    latest: flag('--latest <ms>', 'advise: time within which 99 % of the changes must be published', {
      parse: positive,
      default: 2000,
    }),
    compare: flag(
      '--compare <settings...>',
      'two of coalescingWindow=V,maxEndpointsPerSlice=V,batchWindow=V,policy=V',
    ),
    report: flag('--report <file>', 'also write an HTML page with charts, in one file'),
    ...OUTPUT,
  },
  measured: {
    encoding: choice('--encoding <name>', 'what watchers read', ENCODINGS, { default: 'protobuf' }),
    seed: flag('--seed <n>', 'seed of everything that is random', { parse: amount, default: 1 }),
  },
}
export type SimulateFlags = ReturnType<typeof groupFlags<typeof GROUPS>>

export const simulateCommand = (): Command => createCommand({ help: HELP, groups: GROUPS })

function positive(text: string): number {
  const value = number(0)(text)
  if (value === 0) throw new InvalidArgumentError('It must be more than 0.')
  return value
}

function parsePolicy(name: string): (typeof POLICY_NAMES)[number] {
  const policy = POLICY_NAMES.find((each) => each === name)
  if (policy !== undefined) return policy
  throw new InvalidArgumentError(`Each must be one of ${POLICY_NAMES.join(', ')}.`)
}
