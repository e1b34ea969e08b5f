import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { crashRepeatedly } from '../server/crashes.ts'

it('twenty kills during writes lose nothing that was acknowledged and repeat no resourceVersion', async () => {
  const folder = temporaryFolder()
  const report = await crashRepeatedly(folder, 20, Date.now())
  process.stdout.write(`${JSON.stringify(report)}\n`)
  expect(report.problems).toEqual([])
}, 600_000)
