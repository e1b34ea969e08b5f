import { createRawClient, type RawClient } from '../../support/raw-client.ts'
import { median } from '../race/latencies.ts'
import type { Subject } from './subjects.ts'

const PATH = '/api/v1/namespaces/default/configmaps'
const CLIENTS = 16
const SMALL = 1_000
const LISTED = 10_000
const LISTS = 5
const WATCHERS = 100
const UPDATES = 500

export interface Figures {
  readonly startMs: number
  readonly smallMb: number
  /** Undefined where fewer objects than that were asked for. */
  readonly largeMb: number | undefined
  readonly createsPerSecond: number
  /** The median of some. */
  readonly listMs: number
  readonly eventsPerSecond: number
}

/**
 * Measures a subject that has just been started.
 * @param large number of objects that it holds in the end, at least 10,000
 */
export async function measure(subject: Subject, large: number): Promise<Figures> {
  const client = createRawClient(subject.kubeconfig)
  try {
    await create(client, 0, SMALL)
    const smallMb = await subject.residentMb()
    const createdMs = await create(client, SMALL, LISTED)
    const listMs = await listTime(client)
    const eventsPerSecond = await watchRate(client)
    await create(client, LISTED, large)
    const largeMb = large > LISTED ? await subject.residentMb() : undefined
    const createsPerSecond = ((LISTED - SMALL) / createdMs) * 1000
    return { startMs: subject.startMs, smallMb, largeMb, createsPerSecond, listMs, eventsPerSecond }
  } finally {
    client.close()
  }
}

/**
 * Creates ConfigMaps of about 1 kB, numbered from `from` to below `to`; resolves to the milliseconds that it
 * took.
 */
async function create(client: RawClient, from: number, to: number): Promise<number> {
  const began = performance.now()
  let next = from
  const work = async (): Promise<void> => {
    while (next < to) {
      const metadata = { name: `object-${next++}`, labels: { bench: 'true' } }
      const { status, text } = await client.post(PATH, { metadata, data: { text: 'x'.repeat(800) } })
      if (status !== 201) throw new Error(`failed to create ${metadata.name}: ${text}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
  return performance.now() - began
}

async function listTime(client: RawClient): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < LISTS; count++) {
    const began = performance.now()
    await client.get(PATH)
    times.push(performance.now() - began)
  }
  return median(times)
}

/**
 * Measures how many events a second all watchers together get while one client after the other updates an
 * object.
 */
async function watchRate(client: RawClient): Promise<number> {
  const { body } = await client.get(`${PATH}?limit=1`)
  const path = `${PATH}?resourceVersion=${body.metadata.resourceVersion}`
  const watches = await Promise.all(Array.from({ length: WATCHERS }, () => client.watch(path)))
  const began = performance.now()
  const all = Promise.all(
    watches.map(async (watch) => {
      for (let seen = 0; seen < UPDATES; seen++) await watch.next()
    }),
  )
  let next = 0
  const update = async (): Promise<void> => {
    while (next < UPDATES)
      await client.patch(`${PATH}/object-${next % 10}`, { data: { count: String(next++) } })
  }
  await Promise.all([...Array.from({ length: CLIENTS }, update), all])
  const elapsed = performance.now() - began
  for (const watch of watches) watch.close()
  return ((WATCHERS * UPDATES) / elapsed) * 1000
}
