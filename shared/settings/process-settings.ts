import { choice, integer, number, settingsAbout, text, truth, wordOr } from './setting.ts'
import { NO_TRACES, shardProblem, traceEndpointProblem } from './text-settings.ts'

const rate = settingsAbout('Rates:')
const queue = settingsAbout('Queues and the function:')
const report = settingsAbout('Logs, recordings and traces:')
const relay = settingsAbout('Relay:')

/**
 * Settings of how a process works: its rates, its queues and what it reports. They do not change which slices
 * are published in the end; the settings that do are in {@link CONTENT_SCHEMAS}.
 */
export const PROCESS_SCHEMAS = {
  coalescingWindow: rate(
    wordOr(['auto'], 0, 300, 'seconds'),
    'auto',
    'SECONDS',
    'how long the relay collects changes of a Service before it sends its key again; auto: until its slices are written; 0: not at all; 0 to 300 s: see https://github.com/sliceflow/sliceflow/blob/main/functions/relay/README.md',
  ),
  batchWindow: queue(
    integer(0, 300, 'seconds'),
    0,
    'SECONDS',
    'how long the live lane gathers messages before it calls the function, 0 to 300 s; 0: calls it as soon as there is a message',
  ),
  batchSize: queue(
    integer(1, 10_000, 'messages'),
    10,
    'N',
    'maximum number of messages in a call of the function, 1 to 10000; above 10 the batch window must be at least 1 s',
  ),
  maximumConcurrency: queue(
    integer(2, 1000, 'calls'),
    5,
    'N',
    'maximum number of concurrent calls of the function for each lane, 2 to 1000',
  ),
  keysPerCluster: rate(
    integer(1, 100, 'keys'),
    8,
    'N',
    'maximum number of keys of one cluster that a call works on concurrently, 1 to 100',
  ),
  apiCallsPerSecond: rate(
    integer(1, 10_000, 'calls'),
    1000,
    'N',
    'maximum number of calls a second to the API server of one cluster, for each process and without watches; after a quiet time twice as many may come at once, 1 to 10000',
  ),
  functionTimeout: queue(
    integer(1, 900, 'seconds'),
    60,
    'SECONDS',
    'time limit of a call of the function, 1 to 900 s; unfinished messages of its batch then go back to the queue',
  ),
  maxReceiveCount: queue(
    integer(5, 1000, 'tries'),
    12,
    'N',
    'number of receives after which a message goes to the dead-letter queue, 5 to 1000',
  ),
  recording: report(
    wordOr(['off', 'on'], 0, 1),
    'off',
    'SHARE',
    'record which endpoints each write of a slice added, removed or changed, and why: off; on; or for this share of all Services, 0 to 1, each with all of its writes',
  ),
  logLevel: report(
    choice(['debug', 'info', 'warn', 'error']),
    'info',
    'LEVEL',
    'lowest level of the lines that are logged: debug, info, warn or error',
  ),
  traces: report(
    text(traceEndpointProblem),
    NO_TRACES,
    'URL',
    'where traces of changes go, from the watch event over the message to the writes: off, or the base URL of an OpenTelemetry collector (OTLP over HTTP, JSON)',
  ),
  traceShare: report(
    number(0, 1),
    1,
    'SHARE',
    'with traces: share of its changes that the relay traces, 0 to 1',
  ),
  shard: relay(
    text(shardProblem),
    '0/1',
    'INDEX/COUNT',
    'which share of the clusters the relay watches: 0/3, 1/3 and 2/3 are three relays that divide them, each cluster always with the same relay',
  ),
  stateDir: relay(
    text(() => undefined),
    '',
    'DIRECTORY',
    'directory in which the relay keeps a checkpoint of each cluster, so that a restart sends only the keys that changed meanwhile; empty: a restart sends every key',
  ),
  relayStandby: relay(
    truth(),
    false,
    'BOOLEAN',
    'true: the relay is a standby for another relay of the same clusters: it sends only keys whose slices have stayed wrong for standbyDelay',
  ),
  standbyDelay: relay(
    number(0.5, 300, 'seconds'),
    2,
    'SECONDS',
    'how long slices must be wrong before a standby sends their key, 0.5 to 300 s; a time shorter than a change usually takes makes it send keys that are already on their way',
  ),
  sweepInterval: relay(
    number(10, 86_400, 'seconds'),
    600,
    'SECONDS',
    'how often the relay compares every Service with its slices in its cache, without an API call, and sends the keys of those that differ, 10 to 86400 s',
  ),
  auditInterval: relay(
    integer(600, 604_800, 'seconds'),
    86_400,
    'SECONDS',
    'how often every Service is fully reconciled, even if nothing changed, 600 to 604800 s; spread evenly over the interval in slots of 600 s, through the sweep lane',
  ),
} as const
