import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startRelay } from '../../../functions/relay/index.ts'
import { createApiClient } from '../../../shared/kubernetes/index.ts'
import type { QueueSender } from '../../../shared/queue/index.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { connectionTo } from '../../support/list-watch-server.ts'
import { forkedOptions, report, serveFunctions } from '../forked.ts'
import type { RelayReport, RelayStart, Usage } from './messages.ts'

/** A relay in a process of its own, with a queue that takes every key at once. */
const { clusters, address, reported, settings } = forkedOptions<RelayStart>()
const send = (one: RelayReport): void => report(one)
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
      if (followed.has(cluster)) send({ kind: 'sent', cluster, service, at })
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
    onSynced: () => send({ kind: 'following' }),
  },
})

const functions = {
  usage(): Usage {
    const { user, system } = process.cpuUsage()
    const longestPauseMs = eventLoop.max / 1e6
    eventLoop.reset()
    return {
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      peakRssMb: process.resourceUsage().maxRSS / 1024,
      cpuSeconds: (user + system) / 1e6,
      ...{ longestPauseMs, keysSent, events, sweeps, keysSwept, lastKeyAt },
    }
  },
  stop: () => relay.stop(AbortSignal.timeout(1000)),
}
serveFunctions(functions)
export type RelayFunctions = typeof functions
