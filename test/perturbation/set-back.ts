import { setTimeout as sleep } from 'node:timers/promises'
import { NAMESPACES } from '../../shared/kubernetes/index.ts'
import type { Arena } from './arena.ts'
import { type Plan, SET_BACK } from './plan.ts'
import { CALM, conclude, type Played, playCalmly, stepsBefore, stepsDuring } from './play.ts'
import { LOOK, openStage, type Settled, SWEEP } from './stage.ts'
import type { Step } from './story.ts'

/** Milliseconds for Sliceflow to follow what is about to be lost. */
const FOLLOW_MS = 1_500
/**
 * Number of writes to objects that do not matter. A backup is so old that within seconds no client has passed
 * the versions that were seen since.
 */
const OTHER_WRITES = 300
/**
 * Milliseconds after which users do again what was lost; a server that has just started refuses some
 * requests.
 */
const PAUSE_MS = 6_000

/**
 * Plays plans side by side on a server that is set back in time, as if restored from a backup:
 * 1. All go on to the point at which the backup is made.
 * 2. Users do more, which Sliceflow follows.
 * 3. The server is set back: what was done since never was, and versions are given out a second time.
 * 4. Users do again what was lost.
 */
export async function playSetBack(arena: Arena, plans: readonly Plan[]): Promise<Played[]> {
  const acts = await Promise.all(plans.map((plan) => openAct(arena, plan)))
  const all = (what: (act: Act) => Promise<unknown>): Promise<unknown> => Promise.all(acts.map(what))
  // 1.
  await all((act) => act.begin())
  await arena.cluster.server.snapshot()
  await writeOthers(arena)
  // 2.
  await all((act) => act.goOn())
  await sleep(FOLLOW_MS)
  const before = await newestVersion(arena)
  // 3.
  for (const act of acts) act.tell('the server is set back')
  await arena.cluster.server.setBack()
  await arena.absences.watch()
  const versionsLost = Math.max(0, before - (await newestVersion(arena)))
  await sleep(PAUSE_MS)
  // 4.
  await all((act) => act.goOn())
  return Promise.all(acts.map((act) => act.end(versionsLost, arena.time.now())))
}

interface Act {
  begin(): Promise<void>
  tell(what: string): void
  /** Plays on, with the same steps each time. */
  goOn(): Promise<void>
  end(versionsLost: number, disturbedUntil: number): Promise<Played>
}

async function openAct(arena: Arena, plan: Plan): Promise<Act> {
  const calm = await playCalmly(arena, plan)
  const stage = await openStage(arena, plan, 'disturbed')
  const { story, take, tell } = stage
  const lost: Step[] = []
  let first: Settled = { seconds: 0, problems: [] }
  return {
    tell,
    async begin() {
      await take(story.beginning)
      first = await stage.settle(CALM)
      for (const window of plan.windows) {
        for (const step of stepsBefore(window, story)) await take(step)
        lost.push(...stepsDuring(window, story))
      }
      tell('the backup is made')
    },
    async goOn() {
      for (const step of lost) await take(step)
    },
    async end(versionsLost, disturbedUntil) {
      const settled = await stage.settle(SWEEP + LOOK)
      const happened = new Map([[SET_BACK, versionsLost]] as const)
      return conclude(plan, { calm, first, settled, happened, ending: await stage.end(disturbedUntil) })
    },
  }
}

/** One after the other: patches of one object at once are in one another's way until the server gives up. */
async function writeOthers({ client }: Arena): Promise<void> {
  for (let index = 0; index < OTHER_WRITES; index++)
    await client.patch(NAMESPACES, { name: 'default' }, { metadata: { labels: { other: `${index}` } } })
}

async function newestVersion({ client }: Arena): Promise<number> {
  return Number((await client.list(NAMESPACES, { limit: 1 })).metadata.resourceVersion)
}
