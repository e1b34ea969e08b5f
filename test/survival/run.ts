import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type FollowedLosses, followLosses } from './losses.ts'
import type { Scenario, Verdict } from './scenario.ts'
import type { Management, Subject, SubjectKind } from './subject.ts'
import { unexplained } from './unexplained.ts'
import { openWorld, type Surroundings, type World } from './world.ts'

export interface Result extends Verdict {
  readonly scenario: Scenario
  readonly subject: SubjectKind['id']
  /** Time of the whole scenario, with its preparation. */
  readonly seconds: number
}

/** Scenarios that share a subject: enough to let waits overlap, few enough to be no load test. */
const SCENARIOS_AT_ONCE = 9

/** A recorder gathers records for 0.2 s, which it loses where its process is killed. */
const RECORDED_MS = 1_000

/**
 * Runs every scenario with one kind of subject: first those that share a process, side by side, then those
 * that need a process for themselves.
 */
export async function runScenarios(
  scenarios: readonly Scenario[],
  kind: SubjectKind,
  surroundings: Surroundings,
  report: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const run = async (scenario: Scenario, subject: Subject): Promise<void> => {
    const started = performance.now()
    const played = { subject, management: managementOf(scenario) }
    const verdict = await verdictOf(scenario, played, surroundings)
    const seconds = (performance.now() - started) / 1000
    const result = { ...verdict, scenario, subject: kind.id, seconds }
    results.push(result)
    report(result)
  }
  const managementOf = ({ mode = 'replace' }: Scenario): Management => kind.management(mode)
  const create = (scenario: Scenario): Subject =>
    kind.create(managementOf(scenario), scenario.flags?.[kind.id] ?? [])
  const startOf = (scenario: Scenario): string =>
    [managementOf(scenario).mode, ...(scenario.flags?.[kind.id] ?? [])].join(' ')
  const played = scenarios.filter(({ cannot }) => cannot?.[kind.id] === undefined)
  const shared = played.filter(({ alone }) => !alone)
  for (const group of Map.groupBy(shared, startOf).values()) {
    const limit = pLimit(SCENARIOS_AT_ONCE)
    const [first] = group
    if (first === undefined) continue
    await withSubject(create(first), async (subject) => {
      await Promise.all(group.map((scenario) => limit(() => run(scenario, subject))))
    })
  }
  for (const scenario of played.filter(({ alone }) => alone)) {
    const subject = create(scenario)
    await withSubject(subject, () => run(scenario, subject))
    surroundings.network.setOpen(true)
  }
  return results
}

async function withSubject(subject: Subject, work: (subject: Subject) => Promise<void>): Promise<void> {
  await subject.start()
  try {
    await work(subject)
  } finally {
    await subject.kill()
  }
}

/**
 * Returns the verdict on a scenario. It is not survived if it cannot be played to its end, or has losses that
 * a recording does not explain.
 */
async function verdictOf(
  scenario: Scenario,
  played: { readonly subject: Subject; readonly management: Management },
  surroundings: Surroundings,
): Promise<Verdict> {
  const { world, close } = await openWorld(scenario.id, played, surroundings)
  const following = new AbortController()
  try {
    const { managedBy } = played.management
    const followed = followLosses(world.client, { namespace: world.namespace, managedBy }, following.signal)
    await world.untilAtWork()
    await scenario.prepare(world)
    await world.until(followed.behind)
    if (played.subject.recording !== undefined) await sleep(RECORDED_MS)
    await scenario.act(world)
    const verdict = await scenario.assess(world)
    return verdict.survived ? await explained(verdict, followed, world) : verdict
  } catch (error) {
    return { survived: false, observed: error instanceof Error ? error.message : String(error) }
  } finally {
    following.abort()
    await scenario.end?.(world)
    await close()
  }
}

async function explained(
  verdict: Verdict,
  { losses, behind }: FollowedLosses,
  world: World,
): Promise<Verdict> {
  const { subject, namespace, client } = world
  if (subject.recording === undefined) return verdict
  // What is right by a list may be on its way to the watch, which alone notes losses.
  await world.until(behind)
  const place = { file: subject.recording, cluster: client.cluster, namespace }
  const { isMet, problems } = await world.until(async () =>
    (await unexplained(losses, place)).map(({ service, address }) => `${address} of ${service}`),
  )
  if (isMet) return { ...verdict, losses: losses.length }
  return { survived: false, observed: `its history does not tell why ${problems[0]} was lost` }
}
