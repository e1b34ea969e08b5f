import { setTimeout as sleep } from 'node:timers/promises'
import { NAMESPACES } from '../../shared/kubernetes/index.ts'
import { createRandom } from '../support/random.ts'
import { checkSlices, readObjects, readSlices } from '../support/world/index.ts'
import type { Absence } from './absences.ts'
import { type Arena, MANAGED_BY } from './arena.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import type { Plan } from './plan.ts'
import { publishedText } from './published.ts'
import { accessOf, createStory, type Step, type Story } from './story.ts'

/** One namespace of an arena with a Sliceflow of its own, on which a story is played. */
export interface Stage {
  readonly story: Story
  readonly deployment: Deployment
  take(step: Step): Promise<void>
  tell(what: string): void
  /** Polls until everything is right, at most this many seconds. */
  settle(maxSeconds: number): Promise<Settled>
  /**
   * Ends everything and reports how it went.
   * @param disturbedUntil in machine time: an endpoint that was missing before may have been so
   */
  end(disturbedUntil?: number): Promise<Ending>
  /** Ends everything, as it does not matter any more how it was. */
  abandon(): Promise<void>
}

export interface Settled {
  readonly seconds: number
  /** Empty when everything is right. */
  readonly problems: readonly string[]
}

export interface Ending {
  readonly published: readonly string[]
  /** Endpoints of live pods that were missing for longer than a sweep takes. */
  readonly absent: readonly string[]
  readonly reported: readonly string[]
  readonly log: readonly string[]
}

/** Seconds: the shortest sweep that there is. */
export const SWEEP = 10
/**
 * Seconds that syncs and writes may take, beyond the sweep that sent their key, where all cores are in use.
 */
export const LOOK = 5

const POLL_MS = 250
/** Few, so that stories have several slices. */
const MAX_ENDPOINTS_PER_SLICE = 3

/** @param name distinguishes it from other stages of the same plan */
export async function openStage(arena: Arena, { seed, mode }: Plan, name: string): Promise<Stage> {
  const { cluster, client, absences, time } = arena
  const namespace = `plan-${seed}-${name}`
  const access = accessOf(client)
  const reported: string[] = []
  const started = performance.now()
  await client.create(NAMESPACES, { metadata: { name: namespace } })
  absences.follow(namespace, mode)
  const deployment = await startDeployment({
    server: cluster.server,
    namespace,
    settings: {
      mode,
      managedBy: MANAGED_BY,
      sweepInterval: SWEEP,
      maxEndpointsPerSlice: MAX_ENDPOINTS_PER_SLICE,
    },
  })

  function tell(what: string): void {
    reported.push(`${((performance.now() - started) / 1000).toFixed(2)} s: ${what}`)
  }

  async function problemsIn(objects: Awaited<ReturnType<typeof readObjects>>): Promise<string[]> {
    const slices = await readSlices(client, [namespace])
    const maxEndpointsPerSlice = MAX_ENDPOINTS_PER_SLICE
    return checkSlices({ ...objects, slices, mode, managedBy: MANAGED_BY, maxEndpointsPerSlice })
  }

  return {
    story: createStory({ namespace, mode, random: createRandom(seed) }),
    deployment,
    tell,
    async take(step) {
      tell(`${step.kind}: ${step.what}`)
      await step.run(access)
    },
    async settle(maxSeconds) {
      const began = time.now()
      const objects = await readObjects(client, [namespace])
      for (;;) {
        const problems = await problemsIn(objects)
        const seconds = (time.now() - began) / 1000
        if (problems.length === 0 || seconds > maxSeconds) return { seconds, problems }
        await sleep(POLL_MS)
      }
    },
    async end(disturbedUntil = 0) {
      const published = publishedText(await readSlices(client, [namespace]))
      const absent = absences.take(namespace).flatMap((absence) => tooLong(absence, disturbedUntil))
      await deployment.stop()
      return { published, absent, reported, log: deployment.log }
    },
    async abandon() {
      absences.take(namespace)
      await deployment.stop()
    },
  }
}

function tooLong({ endpoint, from, to }: Absence, disturbedUntil: number): string[] {
  const undisturbed = (to - Math.max(from, disturbedUntil)) / 1000
  if (undisturbed <= SWEEP + LOOK) return []
  const whole = ((to - from) / 1000).toFixed(1)
  return [`${endpoint} was missing for ${whole} s, ${undisturbed.toFixed(1)} s of them undisturbed`]
}
