import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startRelay } from '../../../functions/relay/index.ts'
import { createApiClient } from '../../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../../shared/queue/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { connectionTo } from '../../support/list-watch-server.ts'
import type { FromRelay, RelayStart, ToRelay } from './messages.ts'

/** A relay in a process of its own, with a queue that takes every key at once. */
const { clusters, address, reported, settings }: RelayStart = JSON.parse(process.argv[2] ?? '')
const report = (message: FromRelay): void => void process.send?.(message)
const followed = new Set(reported)
const eventLoop = monitorEventLoopDelay({ resolution: 10 })
eventLoop.enable()
let keysSent = 0
let events = 0
let sweeps = 0
let keysSwept = 0
let lastKeyAt = 0

const sender: QueueSender = {
  async send(messages) {
    const at = Date.now()
    for (const { cluster, service } of messages)
      if (followed.has(cluster)) report({ kind: 'sent', cluster, service, at })
    keysSent += messages.length
    lastKeyAt = at
    return { accepted: messages, rejected: [], unsent: [] }
  },
}

const relay = startRelay({
  clients: clusters.map((cluster) => createApiClient(connectionTo(cluster, address))),
  settings: { ...parseSettings({}), ...settings },
  senders: { live: sender, sweep: sender },
  telemetry: { logger: createLogger({ level: 'error' }) },
  observer: {
    onEvent: () => void events++,
    onSweep(_cluster, keys) {
      sweeps++
      keysSwept += keys
    },
    onSynced: (cluster) => report({ kind: 'following', cluster }),
  },
})

process.on('message', async (request: ToRelay) => {
  if (request === 'usage') return reportUsage()
  await relay.stop(AbortSignal.timeout(1000))
  process.exit(0)
})
process.on('disconnect', () => process.exit(0))

function reportUsage(): void {
  const { user, system } = process.cpuUsage()
  const usage = {
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    cpuSeconds: (user + system) / 1e6,
    longestPauseMs: eventLoop.max / 1e6,
    keysSent,
    events,
    sweeps,
    keysSwept,
    lastKeyAt,
  }
  eventLoop.reset()
  report({ kind: 'usage', usage })
}
