import { setTimeout as sleep } from 'node:timers/promises'
import { NAMESPACES } from '../../shared/kubernetes/index.ts'
import { createRandom } from '../support/random.ts'
import type { Arena } from './arena.ts'
import { PERTURBATIONS, type Running } from './perturbations.ts'
import { type Plan, type PlannedKind, type PlannedWindow, SET_BACK } from './plan.ts'
import { type Ending, LOOK, openStage, type Settled, type Stage, SWEEP } from './stage.ts'
import type { Step, Story } from './story.ts'

/** Outcome of a plan. */
export interface Played {
  readonly plan: Plan
  /** Problems; empty if all is as it must be. */
  readonly problems: readonly string[]
  /** Number of times that each perturbation happened. */
  readonly happened: ReadonlyMap<PlannedKind, number>
  /** Steps of users and disturbances of Sliceflow, each with its time. */
  readonly reported: readonly string[]
  readonly log: readonly string[]
  /** Time from the end of the last disturbance until everything was right. */
  readonly seconds: number
}

/** Seconds in which slices are right when nothing is disturbed. */
export const CALM = 30
/** Milliseconds that a perturbation may take to happen after the last step. */
const HAPPENS_WITHIN_MS = 15_000
const POLL_MS = 50
/** Milliseconds between two steps, at most. */
const GAP_MS = 300

/** Plays a plan twice on one server: undisturbed, and as it is planned. */
export async function playPlan(arena: Arena, plan: Plan): Promise<Played> {
  const calm = await playCalmly(arena, plan)
  const stage = await openStage(arena, plan, 'disturbed')
  try {
    return await playDisturbed(arena, plan, { stage, calm })
  } catch (error) {
    await stage.abandon()
    throw error
  }
}

/** Plays the same steps as the disturbed story. What is published in the end is the measure. */
export async function playCalmly(arena: Arena, plan: Plan): Promise<Ending & Settled> {
  const stage = await openStage(arena, plan, 'calm')
  try {
    await stage.take(stage.story.beginning)
    await stage.settle(CALM)
    for (const window of plan.windows)
      for (const step of [...stepsBefore(window, stage.story), ...stepsDuring(window, stage.story)])
        await stage.take(step)
    const settled = await stage.settle(CALM)
    return { ...(await stage.end()), ...settled }
  } catch (error) {
    await stage.abandon()
    throw error
  }
}

interface Disturbed {
  readonly stage: Stage
  readonly calm: Ending & Settled
}

async function playDisturbed(
  { client, time }: Arena,
  plan: Plan,
  { stage, calm }: Disturbed,
): Promise<Played> {
  const { story, deployment, take, tell } = stage
  const random = createRandom(plan.seed + 1)
  const happened = new Map<PlannedKind, number>()
  let disturbedUntil = 0

  async function playWindow(window: PlannedWindow): Promise<void> {
    const { resourceVersion } = (await client.list(NAMESPACES, { limit: 1 })).metadata
    tell(`${window.kind} begins, at version ${resourceVersion}`)
    const running = begin(window, resourceVersion)
    try {
      const steps = stepsDuring(window, story)
      for (const [index, step] of steps.entries()) {
        if (index === steps.length - 1) running.last?.()
        await take(step)
        await running.stepped?.()
        await sleep(random.below(GAP_MS))
      }
      await happens(running)
      await sleep(window.lingerMs)
    } finally {
      await running.end()
      disturbedUntil = time.now()
    }
    tell(`${window.kind} ends, happened ${running.happened()} times`)
    happened.set(window.kind, (happened.get(window.kind) ?? 0) + running.happened())
  }

  async function happens(running: Running): Promise<void> {
    const ends = time.now() + HAPPENS_WITHIN_MS
    while (running.happened() === 0 && time.now() < ends) await sleep(POLL_MS)
  }

  function begin({ kind }: PlannedWindow, version: string): Running {
    if (kind === SET_BACK) throw new Error('a server is set back under all plans that are on it')
    return PERTURBATIONS[kind].begin({ deployment, version, random })
  }

  await take(story.beginning)
  const first = await stage.settle(CALM)
  for (const window of plan.windows) {
    for (const step of stepsBefore(window, story)) await take(step)
    await playWindow(window)
  }
  const settled = await stage.settle(SWEEP + LOOK)
  return conclude(plan, { calm, first, settled, happened, ending: await stage.end(disturbedUntil) })
}

interface Outcome {
  readonly calm: Ending & Settled
  /** Before anything was disturbed. */
  readonly first: Settled
  readonly settled: Settled
  readonly ending: Ending
  readonly happened: ReadonlyMap<PlannedKind, number>
}

/** Compares a disturbed story with the undisturbed one. */
export function conclude(plan: Plan, { calm, first, settled, ending, happened }: Outcome): Played {
  const { reported, log, absent, published } = ending
  const kinds = new Set(plan.windows.map(({ kind }) => kind))
  return {
    plan,
    happened,
    reported,
    log,
    seconds: settled.seconds,
    problems: [
      ...[...calm.problems, ...calm.absent].map((problem) => `undisturbed: ${problem}`),
      ...first.problems.map((problem) => `before the disturbance: ${problem}`),
      ...settled.problems,
      ...absent,
      ...differences(calm.published, published),
      ...[...kinds].filter((kind) => !happened.get(kind)).map((kind) => `${kind} did not happen`),
    ],
  }
}

export const stepsBefore = ({ stepsBefore: count }: PlannedWindow, story: Story): Step[] =>
  Array.from({ length: count }, () => story.next())

/** Returns the steps of a window. The last one makes the function write, whatever there is. */
export const stepsDuring = ({ steps, kind }: PlannedWindow, story: Story): Step[] => [
  ...Array.from({ length: steps }, () => story.next()),
  ...(kind === 'unobserved' ? [story.passing()] : []),
  story.nudge(),
]

function differences(calm: readonly string[], disturbed: readonly string[]): string[] {
  const lacking = new Set(calm).difference(new Set(disturbed))
  const further = new Set(disturbed).difference(new Set(calm))
  return [
    ...[...lacking].map((line) => `unlike undisturbed, not published: ${line}`),
    ...[...further].map((line) => `unlike undisturbed, published: ${line}`),
  ]
}
