import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { churnWorkload, simulate, type Workload } from '../../shared/simulation/index.ts'
import { recordWorkload } from '../../shared/simulation/recorded/record-workload.fixtures.ts'
import { sharedFolder } from '../../test/support/temporary-folder.ts'
import { HistoryError } from '../history/index.ts'
import { openRecorded, openWorkload, replayInWorker } from './open-recorded.ts'

describe('a recording that a thread of its own reads', () => {
  const folder = sharedFolder()
  const file = join(folder, 'record.ndjson')
  beforeAll(async () => {
    const size = { services: 1, endpoints: 30, nodes: 4 }
    const { lines } = await recordWorkload(churnWorkload(size, { seed: 1, duration: 900, meanChange: 100 }))
    const texts = lines.map((line) => JSON.stringify(line))
    // A kind that is not known yet makes it a large one.
    const later = JSON.stringify({ v: 1, kind: 'later', text: ' '.repeat(10_000_000) })
    await writeFile(file, `${[...texts.toSpliced(5, 0, '{"v":1'), later].join('\n')}\n`)
  })

  it('gives the same as where one thread does everything', async () => {
    const since = Date.UTC(2026, 10, 22, 0, 8)
    const problems: string[] = []
    const onProblem = (problem: string): void => void problems.push(problem)
    const play = async (workload: Workload) => [
      await simulate({ workload, policy: 'in-tree', seed: 3 }),
      await simulate({ workload, policy: 'in-tree', seed: 3, settings: { coalescingWindow: 2 } }),
    ]
    const alone = await play(await openWorkload({ from: [file], since, onProblem }))
    expect(Math.min(...alone.map(({ run }) => run.writes))).toBeGreaterThan(50)
    const met = problems.splice(0)
    expect(met).toEqual([expect.stringMatching(/record\.ndjson, line 6: it is not JSON/)])

    const apart = await openRecorded({ from: [file], since, onProblem })
    expect(apart.relayEvents !== undefined).toBe(availableParallelism() > 1)
    expect(await play(apart)).toEqual(alone)
    expect(problems).toEqual(met)
  })

  it('ends with what the source says is wrong', async () => {
    const relayEvent = replayInWorker({ from: [join(folder, 'none')], onProblem: () => undefined })
    await expect(relayEvent.next()).rejects.toThrow(HistoryError)
  })

  it('lets go of the thread when the reader stops early', async () => {
    for await (const batch of replayInWorker({ from: [file], onProblem: () => undefined })) {
      expect(batch.length).toBeGreaterThan(0)
      break
    }
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Worker')).toEqual([])
  })
})
