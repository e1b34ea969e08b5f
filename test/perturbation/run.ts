import pLimit from 'p-limit'
import { type Arena, openArena } from './arena.ts'
import { type Plan, SET_BACK } from './plan.ts'
import { type Played, playPlan } from './play.ts'
import { playSetBack } from './set-back.ts'

export interface RunOptions {
  /** Plans that are played at once; default 4. */
  readonly atOnce?: number
  /** Called with each plan when it has ended. */
  readonly report?: (played: Played) => void
}

const AT_ONCE = 4

/**
 * Plays plans on API servers of their own: those that set the server back together on one, all others side by
 * side on another.
 */
export async function runPlans(
  plans: readonly Plan[],
  { atOnce = AT_ONCE, report = () => {} }: RunOptions = {},
): Promise<Played[]> {
  const results: Played[] = []
  const take = (played: Played): void => {
    results.push(played)
    report(played)
  }
  const { back = [], own = [] } = Object.groupBy(plans, ({ windows }) =>
    windows.some(({ kind }) => kind === SET_BACK) ? 'back' : 'own',
  )
  if (own.length > 0)
    await withArena(async (arena) => {
      const limit = pLimit(atOnce)
      await Promise.all(own.map((plan) => limit(async () => take(await mustEnd(arena, plan)))))
    })
  if (back.length > 0)
    await withArena(async (arena) => {
      for (const played of await playSetBack(arena, back)) take(played)
    })
  return results
}

/** Plays a plan. One that cannot be played to its end has failed. */
async function mustEnd(arena: Arena, plan: Plan): Promise<Played> {
  try {
    return await playPlan(arena, plan)
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { plan, problems: [problem], happened: new Map(), reported: [], log: [], seconds: 0 }
  }
}

async function withArena(work: (arena: Arena) => Promise<void>): Promise<void> {
  const arena = await openArena()
  try {
    await work(arena)
  } finally {
    await arena.close()
  }
}
