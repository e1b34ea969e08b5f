import { setTimeout as sleep } from 'node:timers/promises'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, runWatcher } from '../../shared/kubernetes/index.ts'
import type { ApiServer } from '../cluster/api-server.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'
import { numbered, openTestNamespace, type TestNamespace } from '../support/test-namespace.ts'
import type { Verdict } from './scenario.ts'
import type { Management, Subject } from './subject.ts'

/** Surroundings that all scenarios share. The subject reaches the API server through `network` only. */
export interface Surroundings {
  readonly client: ApiClient
  readonly server: ApiServer
  readonly network: TcpProxy
}

/** Outcome of a wait. */
interface Wait {
  readonly isMet: boolean
  readonly seconds: number
  /** Problems that were left at the end; empty when it was met. */
  readonly problems: readonly string[]
}

/** Writes of slices that a watch has seen. */
export interface SliceWrites {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

/** A namespace of one scenario's own, the subject that runs, and ways to inspect it. */
export interface World extends Omit<TestNamespace, 'remove'>, Surroundings {
  readonly subject: Subject
  /** @param problems what is not as it must be yet @param seconds at most; default 20 */
  until(problems: () => Promise<readonly string[]>, seconds?: number): Promise<Wait>
  /** Waits until every managed slice of the namespace is right. */
  untilRight(seconds?: number): Promise<Wait>
  /** Waits as `untilRight` does, for preparations. @throws Error if it does not come true */
  mustBeRight(): Promise<void>
  /**
   * Waits until a Service made just now has its slice, and has none when it is gone: the subject has listed
   * everything and works.
   */
  untilAtWork(): Promise<void>
  /**
   * Waits for the further syncs that the in-tree controller makes a second after its start and after its own
   * writes.
   */
  rest(): Promise<void>
  /** Kills the subject, and starts it once `meanwhile` is done; resolves when it is at work. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>
  /** Counts writes of the namespace's slices from now on. */
  countWrites(): Promise<SliceWrites>
  /** Returns the outcome of `untilRight` as a verdict. */
  rightInTheEnd(seconds?: number): Promise<Verdict>
}

const DEFAULT_SECONDS = 20
const POLL_MS = 50
/** endpointSliceChangeMinSyncDelay of the in-tree controller is 1 s. */
const REST_MS = 3_000

export const seconds = (value: number): string => `${value.toFixed(1)} s`

/** Opens a scene with a Service `web` and its pods, all right. */
export const openWeb =
  (pods = 3, spec: object = {}) =>
  async (world: World): Promise<void> => {
    await world.addPods(numbered('web', pods))
    await world.addService('web', { spec })
    await world.mustBeRight()
  }

/** @returns the world, and what ends it: everything in it is gone afterwards */
export async function openWorld(
  id: string,
  { subject, management }: { readonly subject: Subject; readonly management: Management },
  surroundings: Surroundings,
): Promise<{ world: World; close: () => Promise<void> }> {
  const { client } = surroundings
  const place = await openTestNamespace({ client, prefix: id, ...management })
  const closing = new AbortController()
  let probes = 0

  const until: World['until'] = async (sync, limit = DEFAULT_SECONDS) => {
    const started = performance.now()
    for (;;) {
      const problems = await sync()
      const passed = (performance.now() - started) / 1000
      if (problems.length === 0 || passed > limit)
        return { isMet: problems.length === 0, seconds: passed, problems }
      await sleep(POLL_MS)
    }
  }
  const untilRight: World['untilRight'] = (limit) => until(() => place.differences(), limit)

  const world: World = {
    ...place,
    ...surroundings,
    subject,
    until,
    untilRight,
    async mustBeRight() {
      const { isMet, problems } = await untilRight()
      if (!isMet) throw new Error(`could not be prepared: ${problems[0]}`)
    },
    async untilAtWork() {
      const name = `at-work-${++probes}`
      await place.addService(name)
      const sees = (count: number) => async () =>
        (await place.slices(name)).length === count ? [] : ['it does nothing']
      const made = await until(sees(1))
      await place.removeService(name)
      const removed = await until(sees(0))
      if (!made.isMet || !removed.isMet) throw new Error(`${subject.name} says it is ready, but does nothing`)
    },
    rest: () => sleep(REST_MS),
    async restart(meanwhile) {
      await subject.kill()
      await meanwhile?.()
      await subject.start()
      await world.untilAtWork()
    },
    async countWrites() {
      const writes = { created: 0, updated: 0, deleted: 0 }
      const seen = new Set<string | undefined>()
      const listed = Promise.withResolvers<void>()
      const count = (slice: EndpointSlice, kind: keyof SliceWrites): void => {
        if (slice.metadata?.namespace === place.namespace) writes[kind]++
      }
      const handler = {
        listing() {},
        object: ({ metadata }: EndpointSlice) => void seen.add(metadata?.uid),
        listed: () => listed.resolve(),
        changed(slice: EndpointSlice) {
          count(slice, seen.has(slice.metadata?.uid) ? 'updated' : 'created')
          seen.add(slice.metadata?.uid)
        },
        deleted: (slice: EndpointSlice) => count(slice, 'deleted'),
      }
      void runWatcher(client, { resource: ENDPOINT_SLICES, handler, signal: closing.signal })
      await listed.promise
      return writes
    },
    async rightInTheEnd(limit) {
      const wait = await untilRight(limit)
      if (wait.isMet) return { survived: true, observed: `right after ${seconds(wait.seconds)}` }
      return { survived: false, observed: `still wrong after ${seconds(wait.seconds)}: ${textOf(wait)}` }
    },
  }
  return {
    world,
    async close() {
      closing.abort()
      await place.remove()
    },
  }
}

/** Returns the first problem, without the details of one run. */
function textOf({ problems }: Wait): string {
  const [first = '', ...others] = problems
  const text = first
    .replace(/^[^ ]*\/([^ ]+): /, '$1: ')
    .replace(/ of [^ ]*\//, ' of ')
    .replace(/ \([^)]*\)/, '')
  return others.length === 0 ? text : `${text}, and ${others.length} more`
}
