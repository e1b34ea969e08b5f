import pLimit from 'p-limit'
import { type Arena, openArena } from './arena.ts'
import type { Plan } from './plan.ts'
import { type Played, playPlan } from './play.ts'

export interface RunOptions {
  /** Plans that are played at once; default 4. */
  readonly atOnce?: number
  /** Called with each plan when it has ended. */
  readonly report?: (played: Played) => void
}

const AT_ONCE = 4

/** Plays plans side by side on one API server. */
export async function runPlans(
  plans: readonly Plan[],
  { atOnce = AT_ONCE, report = () => {} }: RunOptions = {},
): Promise<Played[]> {
  const arena = await openArena()
  try {
    const limit = pLimit(atOnce)
    const play = async (plan: Plan): Promise<Played> => {
      const played = await mustEnd(arena, plan)
      report(played)
      return played
    }
    return await Promise.all(plans.map((plan) => limit(play, plan)))
  } finally {
    await arena.close()
  }
}

/** Plays a plan. One that cannot be played to its end has failed. */
async function mustEnd(arena: Arena, plan: Plan): Promise<Played> {
  try {
    return await playPlan(arena, plan)
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { plan, problems: [problem], happened: new Map(), told: [], log: [], seconds: 0 }
  }
}
