import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { crashRepeatedly } from '../server/crashes.ts'

it('twenty kills during writes lose nothing that was acknowledged and repeat no resourceVersion', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crashes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const report = await crashRepeatedly(folder, 20, Date.now())
  process.stdout.write(`${JSON.stringify(report)}\n`)
  expect(report.problems).toEqual([])
}, 600_000)
