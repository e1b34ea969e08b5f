import { startListWatchServer, watchLine } from '../../support/list-watch-server.ts'
import { forkedOptions, report, serveFunctions } from '../forked.ts'
import type { Changed, ChangesRequest, ServerOptions } from './messages.ts'
import { generatedCluster, podText, SERVICE_PREFIX } from './workload.ts'

/** The API servers of a measurement, in a process of their own: what they cost is not the relay's. */
const { shape, dead } = forkedOptions<ServerOptions>()
const TICK_MS = 20
/** Pods that change, at most: the texts of all would be what takes the memory. */
const MAX_TEXTS = 10_000

const cluster = generatedCluster(shape)
const server = await startListWatchServer((name) => (dead.includes(name) ? undefined : cluster))
const pods = shape.services * shape.podsPerService
const texts = new Map<number, string>()
/** Each request for a cluster brings other addresses than the one before. */
const roundsOf = new Map<string, number>()

const functions = { address: () => server.address, change }
serveFunctions(functions)
export type ServerFunctions = typeof functions

/**
 * Returns an object's text, which is made once. Making texts at 10,000 a second would be what is measured.
 */
function textOf(index: number, change: number): string {
  const key = index * 2 + (change % 2)
  const text = texts.get(key) ?? podText(index, { ...shape, change: 1 + (change % 2) })
  texts.set(key, text)
  return text
}

/** Sends changes of pods; returns how many once all are on their way. */
async function change({ cluster: name, perSecond, seconds, isReported }: ChangesRequest): Promise<number> {
  const total = perSecond * seconds
  const started = performance.now()
  const rounds = roundsOf.get(name) ?? 0
  roundsOf.set(name, rounds + 1)
  let sent = 0
  while (sent < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - started) / 1000) * perSecond))
    let lines = ''
    for (; sent < due; sent++) {
      // A prime step visits every Service, and not one after the other in the list's order.
      const index = (sent * 7) % Math.min(pods, MAX_TEXTS)
      lines += watchLine('MODIFIED', textOf(index, rounds + Math.floor(sent / Math.min(pods, MAX_TEXTS))))
      if (isReported)
        report({
          cluster: name,
          service: `${SERVICE_PREFIX}${index % shape.services}`,
          at: Date.now(),
          ready: true,
        } satisfies Changed)
    }
    const isTaken = lines === '' || server.send(name, 'pods', lines)
    await new Promise((resolve) => setTimeout(resolve, isTaken ? TICK_MS : 2 * TICK_MS))
  }
  return sent
}
