import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { crashRepeatedly } from './crashes.ts'

// Twenty kills, of another seed each time: test/cluster/crashes.test.ts.
it('a control plane that is killed keeps what it has acknowledged, and its watches go on', async () => {
  const folder = temporaryFolder()
  const { problems, acknowledged, events } = await crashRepeatedly(folder, 1, 1)
  expect(problems).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
  expect(events).toBeGreaterThan(0)
}, 60_000)
