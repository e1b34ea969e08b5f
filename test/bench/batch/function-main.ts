import { type ApiClient, createApiClient } from '../../../shared/kubernetes/index.ts'
import { createHandler } from '../../../shared/queue/consumer/index.ts'
import { createReconciler } from '../../../shared/reconciler/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { connectionTo, type ServerAddress } from '../../support/list-watch-server.ts'
import { forkedOptions, serveFunctions } from '../forked.ts'
import type { BatchShape } from './server-main.ts'

export interface FunctionStart {
  readonly shape: BatchShape
  readonly address: ServerAddress
}

/** The function in a process of its own: handles one batch of the sweep lane and reports its usage. */
const { shape, address } = forkedOptions<FunctionStart>()
const TIMEOUT_MS = 120_000

const settings = parseSettings({})
const logger = createLogger({ level: 'error' })
const clients = new Map<string, ApiClient>()
let endpoints = 0

const reconcile = createReconciler({
  clientOf(cluster) {
    const client = clients.get(cluster) ?? createApiClient(connectionTo(cluster, address))
    clients.set(cluster, client)
    return client
  },
  settings,
  logger,
  onReconciled: ({ planned }) => {
    endpoints += planned?.stats.endpointsDesired ?? 0
  },
})
const handler = createHandler({
  reconcile,
  deadLetters: { send: async () => {} },
  visibility: { postpone: async () => {} },
  logger,
  settings: { concurrencyPerCluster: settings.keysPerCluster },
})

const Records = Array.from({ length: shape.clusters * shape.servicesPerCluster }, (_, index) => ({
  messageId: String(index),
  receiptHandle: String(index),
  body: JSON.stringify({
    v: 1,
    cluster: `cluster-${index % shape.clusters}`,
    namespace: 'shop',
    service: `service-${Math.floor(index / shape.clusters)}`,
  }),
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(Date.now()),
    SenderId: 'relay',
    ApproximateFirstReceiveTimestamp: String(Date.now()),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:sweep',
  awsRegion: 'us-east-1',
}))
const began = performance.now()
const context = { getRemainingTimeInMillis: () => TIMEOUT_MS - (performance.now() - began) }
const response = await handler({ Records }, context as Parameters<typeof handler>[1])
const { user, system } = process.cpuUsage()
const usage = {
  peakRssMb: process.resourceUsage().maxRSS / 1024,
  cpuSeconds: (user + system) / 1e6,
  seconds: (performance.now() - began) / 1000,
  failed: response.batchItemFailures.length,
  endpoints,
}
const functions = { usage: () => usage }
serveFunctions(functions)
export type BatchFunctions = typeof functions
