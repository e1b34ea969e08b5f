import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { RecordingLine } from '../../recording/index.ts'
import { simulate } from '../engine/index.ts'
import { churnWorkload, rollingWorkload, type Workload, type WorkloadEvent } from '../workloads/index.ts'
import { recordedWorkload } from './index.ts'
import { recordWorkload, SENT_MS, SYNC_MS } from './record-workload.fixtures.ts'

const size = { services: 1, endpoints: 60, nodes: 4 }
const rolling = rollingWorkload(size, { seed: 1, perSecond: 5 })
/** Its changes are so far apart that none waits. */
const slow = rollingWorkload({ ...size, endpoints: 20 }, { seed: 1, perSecond: 0.3, termination: 1 })
const churn = churnWorkload(size, { seed: 1, duration: 600, meanChange: 200 })

const opened = (lines: readonly RecordingLine[]) =>
  async function* () {
    yield* lines
  }

async function eventsOf(workload: Workload): Promise<WorkloadEvent[]> {
  const events: WorkloadEvent[] = []
  for await (const piece of workload.events()) events.push(...piece)
  return events
}

/** Lists the published Pods with their states. Slices and names of one run are not those of another. */
const published = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(({ targetRef, addresses, conditions, nodeName, zone }) =>
      JSON.stringify([targetRef?.name, targetRef?.uid, addresses, conditions, nodeName, zone]),
    )
    .sort()

describe('a recorded workload', () => {
  it.each([
    ['a rolling update', rolling],
    ['churn', churn],
  ])('sends the informer the recorded events of %s, at their times', async (_, workload) => {
    const { lines } = await recordWorkload(workload)
    const recorded = await recordedWorkload({ open: opened(lines) })
    const played = (await eventsOf(recorded)).filter((event) => 'pod' in event)
    const real = (await eventsOf(workload)).filter((event) => 'pod' in event)
    const of = (events: typeof real) =>
      events.map(({ atMs, pod, isGone = false }) => [
        Math.round(atMs),
        pod.metadata?.name,
        isGone,
        pod.metadata?.deletionTimestamp !== undefined,
        pod.status?.conditions?.[0]?.status,
      ])
    // The Pods that were there at the begin came with the first write, a minute before.
    const later = of(played)
      .filter(([atMs]) => Number(atMs) > 0)
      .map(([atMs, ...rest]) => [Number(atMs) - 60_000, ...rest])
    expect(later).toEqual(of(real))
  })

  it('ends with what was published in the end, by the same policy', async () => {
    const { lines, slices } = await recordWorkload(slow)
    let last: readonly EndpointSlice[] = []
    const workload = await recordedWorkload({ open: opened(lines) })
    const { run } = await simulate({
      workload,
      policy: 'in-tree',
      settings: { coalescingWindow: 0 },
      observer: {
        onSlices: (_, current) => {
          last = current()
        },
      },
    })
    expect(published(last)).toEqual(published(slices))
    expect(run.stalenessMs.p50).toBeGreaterThanOrEqual((SENT_MS + SYNC_MS) * 0.95)
    expect(run.stalenessMs.p50).toBeLessThanOrEqual((SENT_MS + SYNC_MS) * 1.05)
  })

  it('begins where it is asked to, with what was there then', async () => {
    const { lines } = await recordWorkload(churn)
    const whole = await simulate({
      workload: await recordedWorkload({ open: opened(lines) }),
      policy: 'in-tree',
    })
    const middle = Date.parse(lines[Math.floor(lines.length / 2)]?.time ?? '')
    const run = async (part: { since?: number; until?: number }) =>
      simulate({ workload: await recordedWorkload({ open: opened(lines), ...part }), policy: 'in-tree' })
    const [before, after] = [await run({ until: middle - 1 }), await run({ since: middle })]
    expect(after.create.writes).toBe(1)
    expect(after.run.writes).toBeGreaterThan(10)
    expect(before.run.writes + after.run.writes).toBe(whole.run.writes)
  })

  it('says so where there is nothing to simulate', async () => {
    const { lines } = await recordWorkload(churn)
    const only = (kind: RecordingLine['kind']) => lines.filter((line) => line.kind === kind)
    await expect(recordedWorkload({ open: opened(only('change')) })).rejects.toThrow(
      'has no write of a slice',
    )
    await expect(recordedWorkload({ open: opened(lines), cluster: 'us-1' })).rejects.toThrow(
      'has no write of a slice of the cluster us-1',
    )
    const late = await recordedWorkload({ open: opened(lines), since: Date.UTC(2030, 1) })
    await expect(eventsOf(late)).rejects.toThrow('has nothing of the time that is asked for')
  })

  it('wants one of several clusters chosen', async () => {
    const { lines } = await recordWorkload(churn)
    const both = [...lines, ...lines.map((line) => ({ ...line, cluster: 'us-1' }))]
    await expect(eventsOf(await recordedWorkload({ open: opened(both) }))).rejects.toThrow(
      'several clusters, eu-1 and us-1 among them: choose one with --cluster',
    )
    const one = await eventsOf(await recordedWorkload({ open: opened(both), cluster: 'us-1' }))
    expect(one).toEqual(await eventsOf(await recordedWorkload({ open: opened(lines) })))
  })
})
