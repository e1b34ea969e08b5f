import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { churnWorkload, simulate } from '../../shared/simulation/index.ts'
import { recordWorkload } from '../../shared/simulation/recorded/record-workload.fixtures.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { HistoryError } from '../history/index.ts'
import { openRecorded } from './open-recorded.ts'

it.each([
  ['all of a recording', undefined],
  ['a recording from a moment on', Date.UTC(2026, 10, 22, 0, 8)],
])('simulates %s again and again, and reports an invalid line once', async (_, since) => {
  const file = join(temporaryFolder(), 'record.ndjson')
  const size = { services: 1, endpoints: 80, nodes: 4 }
  const { lines } = await recordWorkload(churnWorkload(size, { seed: 1, duration: 900, meanChange: 100 }))
  const texts = lines.map((line) => JSON.stringify(line))
  await writeFile(file, `${texts.toSpliced(5, 0, '{"v":1').join('\n')}\n`)
  const problems: string[] = []
  const workload = await openRecorded({ from: [file], since, onProblem: (problem) => problems.push(problem) })
  const run = async () => (await simulate({ workload, policy: 'in-tree', seed: 3 })).run
  const first = await run()
  expect(first.writes).toBeGreaterThan(50)
  expect(await run()).toEqual(first)
  expect(problems).toEqual([expect.stringMatching(/record\.ndjson, line 6: it is not JSON/)])
})

it('rejects with the problem of a source that cannot be read', async () => {
  const from = [join(temporaryFolder(), 'none')]
  await expect(openRecorded({ from, onProblem: () => undefined })).rejects.toThrow(HistoryError)
})
