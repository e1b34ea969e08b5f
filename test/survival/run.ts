import pLimit from 'p-limit'
import type { Scenario, Verdict } from './scenario.ts'
import type { Subject, SubjectKind } from './subject.ts'
import { openWorld, type Surroundings } from './world.ts'

export interface Result extends Verdict {
  readonly scenario: Scenario
  readonly subject: SubjectKind['id']
  /** Of the whole scenario, its preparation included. */
  readonly seconds: number
}

/** Of those that share a subject: enough to let waits overlap, few enough to be no load test. */
const SCENARIOS_AT_ONCE = 9

/** Every scenario with one kind of subject: first those that share a process, side by side, then those that need one for themselves. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  kind: SubjectKind,
  surroundings: Surroundings,
  report: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = []
  const run = async (scenario: Scenario, subject: Subject): Promise<void> => {
    const started = performance.now()
    const verdict = await verdictOf(scenario, subject, surroundings)
    const seconds = (performance.now() - started) / 1000
    const result = { ...verdict, scenario, subject: kind.id, seconds }
    results.push(result)
    report(result)
  }
  const flagsOf = ({ flags }: Scenario): readonly string[] => flags?.[kind.id] ?? []
  const shared = scenarios.filter(({ alone }) => !alone)
  for (const group of Map.groupBy(shared, (scenario) => flagsOf(scenario).join(' ')).values()) {
    const limit = pLimit(SCENARIOS_AT_ONCE)
    const [first] = group
    await withSubject(kind.create(first === undefined ? [] : flagsOf(first)), async (subject) => {
      await Promise.all(group.map((scenario) => limit(() => run(scenario, subject))))
    })
  }
  for (const scenario of scenarios.filter(({ alone }) => alone)) {
    const subject = kind.create(flagsOf(scenario))
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

/** A scenario that cannot be played to its end is not survived. */
async function verdictOf(scenario: Scenario, subject: Subject, surroundings: Surroundings): Promise<Verdict> {
  const { world, close } = await openWorld(scenario.id, subject, surroundings)
  try {
    await world.untilAtWork()
    await scenario.prepare(world)
    await scenario.act(world)
    return await scenario.assess(world)
  } catch (error) {
    return { survived: false, observed: error instanceof Error ? error.message : String(error) }
  } finally {
    await close()
  }
}
