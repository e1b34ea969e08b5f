import { Command, InvalidArgumentError, Option } from 'commander'
import {
  ENCODINGS,
  POLICY_NAMES,
  type PolicyName,
  PRESET_NAMES,
} from '../../../../shared/simulation/index.ts'
import type { Flags } from '../../options/flag-groups.ts'
import { outputOption } from '../../options/output.ts'
import { parseTime } from '../../options/time.ts'
import { helpText } from '../../output/help-text.ts'
import { WORKLOAD_NAMES } from './flags.ts'

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
  --recording   what a recording of one cluster tells: Services, Pods and their changes, at the times at which the relay was told, and looks
                that take as long as they did. It is read anew for each run, never more of it at once than a change takes to be written;
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
  Charts of a rolling update by each policy, to look at in a browser:
    $ sliceflow simulate --workload rolling --report rolling.html
  Which slice size suits 50 Services of 200 Pods of which a few flap?
    $ sliceflow simulate --services 50 --endpoints 200 --noisy-share 0.02 --policy in-tree --max-endpoints-per-slice 50,100,200`

/** Makes the `simulate` command: it compares what ways to publish endpoints cost, and how late they are. */
export function simulateCommand(): Command {
  const command = new Command()
    .addOption(new Option('--preset <name>', 'a sample case of KEP-752').choices(PRESET_NAMES))
    .addOption(
      new Option('--workload <name>', 'what happens to the Pods').choices(WORKLOAD_NAMES).default('churn'),
    )
    .addOption(
      new Option(
        '--recording <source...>',
        'replay a recording instead: files of "run --record FILE", or s3://BUCKET/PREFIX',
      ).conflicts(['workload', 'preset', 'scale']),
    )
    .addOption(ofRecording('--cluster <name>', 'recording: only this cluster'))
    .addOption(
      ofRecording(
        '--since <time>',
        'recording: only from this time on; an RFC 3339 time, or how long ago, such as 15m',
      ).argParser(argument),
    )
    .addOption(
      ofRecording('--until <time>', 'recording: only up to this time, in the same formats').argParser(
        argument,
      ),
    )
    .option('--services <n>', 'Services', parseWhole, 1)
    .option('--endpoints <n>', 'Pods of each Service', parseWhole, 1000)
    .option(
      '--nodes <n>',
      'Nodes, each of which watches the slices (default: 100; for a recording: those that it names)',
      parseWhole,
    )
    .option('--duration <seconds>', 'churn: simulated time', parsePositive, 3600)
    .option(
      '--mean-change <seconds>',
      'churn: mean time between two changes of a Pod; one or more',
      parseTimes,
      [3600],
    )
    .option('--recovery <seconds>', 'churn: mean time that a Pod is unready', parsePositive, 30)
    .option('--noisy-share <share>', 'churn: share of the Pods that are noisy, 0 to 1', parseShare, 0)
    .option(
      '--noisy-mean-change <seconds>',
      'churn: mean time between two changes of a noisy Pod',
      parsePositive,
      30,
    )
    .option('--surge <share>', 'rolling: share of Pods that may be added (maxSurge)', parseShare, 0.25)
    .option(
      '--unavailable <share>',
      'rolling: share of Pods that may be missing (maxUnavailable)',
      parseShare,
      0.25,
    )
    .option('--startup <seconds>', "rolling: time from a Pod's address until it is ready", parseNumber, 0)
    .option(
      '--per-second <n>',
      'rolling, scale: Pods of a Service created or deleted a second',
      parsePositive,
      20,
    )
    .option('--termination <seconds>', 'rolling, scale: time that a Pod takes to terminate', parseNumber, 2)
    .option('--factor <n>', 'scale: the largest number of Pods, as a multiple of the first', parsePositive, 2)
    .option('--eviction <seconds>', 'node-loss, zone-loss: time until Pods are evicted', parseNumber, 300)
    .option('--policy <names>', 'one or more, separated by commas (default: all)', parsePolicies)
    .option(
      '--coalescing-window <seconds>',
      'auto, or seconds; one or more (default: auto; for a preset: 0; for a recording: as recorded)',
      parseWindows,
    )
    .option(
      '--max-endpoints-per-slice <n>',
      'one or more (default: 100; for a recording: as recorded)',
      parseSliceSizes,
    )
    .option(
      '--batch-window <seconds>',
      'on AWS: seconds for which messages are gathered before the function is called; one or more (default: 0)',
      parseBatchWindows,
    )
    .option('--batch-size <n>', 'on AWS: most messages of a call (default: 10)', parseWhole)
    .option('--maximum-concurrency <n>', 'on AWS: most calls at once (default: 5)', parseWhole)
    .addOption(
      new Option(
        '--maximum-pollers <n>',
        'on AWS: provisioned pollers, each for 10 calls at once, in place of --maximum-concurrency (default: 5 that all functions share)',
      )
        .argParser(parsePollers)
        .conflicts('maximumConcurrency'),
    )
    .addOption(new Option('--encoding <name>', 'what watchers read').choices(ENCODINGS).default('protobuf'))
    .option(
      '--scale',
      'the same Services in 1 to 10,000 clusters: which limit is hit first, and which setting moves it',
    )
    .option('--advise', 'recommend settings for the workload, and say why')
    .option(
      '--latest <ms>',
      'advise: time within which 99 % of the changes must be published',
      parsePositive,
      2000,
    )
    .option(
      '--compare <settings...>',
      'two of coalescingWindow=V,maxEndpointsPerSlice=V,batchWindow=V,policy=V',
    )
    .option('--report <file>', 'also write an HTML page with charts, in one file')
    .option('--seed <n>', 'seed of everything that is random', parseWhole, 1)
    .addOption(outputOption())
    .addHelpText('after', helpText(HELP))
    .action(async (flags: Flags) => {
      // Loaded when it is needed: encodings and planning would slow down every --help.
      const { runSimulate } = await import('./run.ts')
      await runSimulate(flags)
    })
  return command
}

const ofRecording = (flags: string, description: string): Option =>
  new Option(flags, description).conflicts(['preset', 'scale'])

/** Parses a time; Commander would also hand over the value before. */
const argument = (text: string): number => parseTime(text)

function parseNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('It must be a number, 0 or more.')
  }
  return number
}

function parsePositive(text: string): number {
  const number = parseNumber(text)
  if (number === 0) throw new InvalidArgumentError('It must be more than 0.')
  return number
}

const parseTimes = (text: string): number[] => text.split(',').map(parsePositive)

function parseShare(text: string): number {
  const share = parseNumber(text)
  if (share > 1) throw new InvalidArgumentError('It must be 0 to 1.')
  return share
}

function parseWhole(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < 1 || number > 1_000_000) {
    throw new InvalidArgumentError('It must be a whole number, 1 to 1000000.')
  }
  return number
}

const parsePolicies = (text: string): PolicyName[] =>
  text.split(',').map((name) => {
    const policy = POLICY_NAMES.find((each) => each === name)
    if (policy === undefined)
      throw new InvalidArgumentError(`Each must be one of ${POLICY_NAMES.join(', ')}.`)
    return policy
  })

const parseWindows = (text: string): ('auto' | number)[] =>
  text.split(',').map((window) => {
    if (window === 'auto') return window
    const seconds = parseNumber(window)
    if (seconds > 300) throw new InvalidArgumentError('Each must be auto, or seconds from 0 to 300.')
    return seconds
  })

const parseBatchWindows = (text: string): number[] =>
  text.split(',').map((window) => {
    const seconds = parseNumber(window)
    if (!Number.isInteger(seconds) || seconds > 300)
      throw new InvalidArgumentError('Each must be a whole number of seconds, 0 to 300.')
    return seconds
  })

function parsePollers(text: string): number {
  const pollers = parseWhole(text)
  if (pollers < 2 || pollers > 2000) throw new InvalidArgumentError('It must be 2 to 2000.')
  return pollers
}

const parseSliceSizes = (text: string): number[] =>
  text.split(',').map((size) => {
    const number = parseWhole(size)
    if (number > 1000) throw new InvalidArgumentError('Each must be 1 to 1000, the most that the API allows.')
    return number
  })
