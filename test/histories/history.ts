import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../shared/kubernetes/index.ts'
import { type MachineTime, startMachineTime } from '../perturbation/machine-time.ts'
import { createRandom, type Random } from '../support/random.ts'
import { FLEET_OPERATIONS, OUTAGE_OPERATIONS } from './fleet-operations.ts'
import { OBJECT_OPERATIONS } from './object-operations.ts'
import { readView } from './objects.ts'
import type { Operation } from './operation.ts'
import { openCheck } from './oracle.ts'
import { PROCESS_OPERATIONS } from './process-operations.ts'
import { SELECTOR_OPERATIONS } from './selectors.ts'
import { SLICE_OPERATIONS } from './slice-operations.ts'
import { openWorld, type Scene, type World } from './world.ts'

/** Everything that can happen in a history. */
export const OPERATIONS: readonly Operation[] = [
  ...OBJECT_OPERATIONS,
  ...SLICE_OPERATIONS,
  ...SELECTOR_OPERATIONS,
  ...PROCESS_OPERATIONS,
  ...OUTAGE_OPERATIONS,
  ...FLEET_OPERATIONS,
]

/** One operation of a history. It draws its target and its values from its own seed. */
export interface Step {
  readonly number: number
  readonly operation: string
  readonly cluster: number
  readonly draw: number
  readonly pauseMs: number
}

/** Operations one after the other, followed by a quiet point. */
export type Round = readonly Step[]

/** Default seconds at a quiet point until everything must be right. */
export const BOUND_SECONDS = 10
/**
 * Added where a process, a server or a connection has started again since the last quiet point: messages that
 * a process had in its hands come back after their visibility timeout, and a cluster that did not answer is
 * tried again as late.
 */
const START_SECONDS = 30

const POLL_MS = 100
const FIRST_ROUND = 30
/** Operations of the first round: there is nothing yet that others could be done to. */
const BEGINNING: readonly string[] = ['service-create', 'selector-create', 'pod-create', 'export-create']
const LONGEST_ROUND = 20
const LONGEST_PAUSE_MS = 400

/**
 * Draws rounds without end. The same seed gives the same rounds, whatever happens.
 * @param without names of operations that are not drawn
 */
export function* drawRounds(scene: Scene, without: readonly string[] = []): Generator<Round, never> {
  const random = createRandom(scene.seed)
  const others = [...without, ...operationsNotOf(scene)]
  const operations = OPERATIONS.filter(({ name }) => !others.includes(name))
  let number = 0
  for (;;) {
    const isFirst = number === 0
    const drawn = isFirst ? operations.filter(({ name }) => BEGINNING.includes(name)) : operations
    yield Array.from({ length: isFirst ? FIRST_ROUND : 1 + random.below(LONGEST_ROUND) }, () => ({
      number: ++number,
      operation: drawOperation(drawn, random).name,
      cluster: random.below(scene.clusters),
      draw: random.below(2 ** 31),
      pauseMs: random.chance(0.3) ? random.below(LONGEST_PAUSE_MS) : random.below(20),
    }))
  }
}

/** Names the operations for which a scene is too small. */
function operationsNotOf({ fleet, clusters }: Scene): readonly string[] {
  const some = [...(clusters > 1 ? [] : OUTAGE_OPERATIONS), ...(fleet === true ? [] : FLEET_OPERATIONS)]
  return some.map(({ name }) => name)
}

function drawOperation(operations: readonly Operation[], random: Random): Operation {
  let left = random.below(operations.reduce((sum, { weight }) => sum + weight, 0))
  const drawn = operations.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  if (drawn === undefined) throw new Error('there is no operation left to draw')
  return drawn
}

export interface Outcome {
  /** Rounds that were played, the one that failed among them. */
  readonly rounds: readonly Round[]
  /** Texts of what was done, one for each step. */
  readonly lines: readonly string[]
  /** Longest time to a right state at a quiet point, in seconds. */
  readonly slowest: number
  /** Differences that were left when the time was up; empty if there were none at any quiet point. */
  readonly late: readonly string[]
  /** Folder of logs and recordings of a history that failed. */
  readonly folder?: string
}

interface PlayOptions {
  /** Ends the history after the round in which it becomes true. Default: after the last round. */
  readonly isOver?: () => boolean
  readonly report?: (line: string) => void
}

/** Plays rounds on new servers, until one of them fails. */
export async function playHistory(
  scene: Scene,
  rounds: Iterable<Round>,
  { isOver = () => false, report = () => {} }: PlayOptions = {},
): Promise<Outcome> {
  const world = await openWorld(scene)
  const time = startMachineTime()
  const played: Round[] = []
  const lines: string[] = []
  const tell = (line: string): void => void lines.push(`${new Date().toISOString().slice(11, 23)} ${line}`)
  let slowest = 0
  let late: readonly string[] = []
  try {
    for (const round of rounds) {
      played.push(round)
      for (const step of round) tell(await takeStep(world, step))
      const settled = await settle(world, time)
      slowest = Math.max(slowest, settled.seconds)
      late = settled.differences
      const seconds = `${settled.seconds.toFixed(1)} s`
      tell(`quiet point ${played.length}: ${late.length === 0 ? 'right' : 'NOT right'} after ${seconds}`)
      report(`seed ${scene.seed}, round ${played.length}, ${round.length} steps: ${seconds}`)
      if (late.length > 0 || isOver()) break
    }
    const isRight = late.length === 0
    if (!isRight) await world.runs.writeLogs()
    await world.close({ keepsFolder: !isRight })
    return { rounds: played, lines, slowest, late, ...(!isRight && { folder: world.folder }) }
  } catch (error) {
    await world.runs.writeLogs()
    await world.close({ keepsFolder: true })
    throw new Error(`${lines.join('\n')}\nseed ${scene.seed} ended; logs: ${world.folder}`, { cause: error })
  } finally {
    time.stop()
  }
}

async function takeStep(world: World, step: Step): Promise<string> {
  const one = OPERATIONS.find(({ name }) => name === step.operation)
  const cluster = world.clusters[step.cluster]
  if (one === undefined || cluster === undefined) throw new Error(`step ${step.number} cannot be played`)
  await sleep(step.pauseMs)
  const random = createRandom(step.draw)
  const occasion = { world, cluster, view: await readView(cluster.client), random, number: step.number }
  const begin = `${step.number} ${cluster.name} ${one.name}`
  const target = random.pick(one.targets(occasion))
  if (target === undefined) return `${begin}: nothing to do it to`
  if (one.startsAnew === true) world.startsAnew = true
  world.isQuiet = false
  try {
    return `${begin}: ${await one.act(target, occasion)}`
  } catch (error) {
    // Some changes are not possible, such as a second family of a headless Service.
    if (error instanceof ApiError && error.code < 500) return `${begin}: refused, ${error.message}`
    throw error
  }
}

interface Settled {
  readonly seconds: number
  readonly differences: readonly string[]
}

/** Waits until everything is right, with one process at least, or the bound has passed. */
async function settle(world: World, time: MachineTime): Promise<Settled> {
  const { runs } = world
  if (runs.running.length === 0) {
    await runs.start()
    world.startsAnew = true
  }
  const check = await openCheck(world)
  await runs.untilReady()
  const { boundSeconds = BOUND_SECONDS } = world.scene
  const bound = boundSeconds + (world.startsAnew ? START_SECONDS : 0)
  const started = time.now()
  for (;;) {
    const differences = await check()
    const seconds = (time.now() - started) / 1000
    if (differences.length === 0) {
      world.startsAnew = false
      world.isQuiet = true
    }
    if (differences.length === 0 || seconds > bound) return { seconds, differences }
    await sleep(POLL_MS)
  }
}
