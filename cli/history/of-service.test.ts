import { expect, it } from 'vitest'
import type { RecordingLine } from '../../shared/recording/index.ts'
import { HistoryError, ofService } from './index.ts'
import { all, at, stream, WEB, write } from './lines.fixtures.ts'

const read = (...lines: readonly RecordingLine[]): Promise<RecordingLine[]> =>
  all(ofService(stream(...lines), WEB))

const lost = (cluster: string): RecordingLine => ({
  v: 1,
  kind: 'lost',
  cluster,
  time: at(1),
  worker: 'host-1',
  count: 1,
})

it('has the lines of one Service, and the losses of its cluster', async () => {
  const wanted = [write(1, 'web-a - 1'), lost('eu-1'), write(3, 'web-a 1 2')]
  const others = [
    write(2, 'web-b - 1', { cluster: 'eu-2' }),
    write(2, 'web-b - 1', { namespace: 'till' }),
    write(2, 'web-b - 1', { service: 'cart' }),
    write(2, 'web-c - 1', { ownerKind: 'EndpointSelector' }),
    lost('eu-2'),
  ]
  expect(await read(...wanted.slice(0, 2), ...others, ...wanted.slice(2))).toEqual(wanted)
})

it.each<[string, RecordingLine[], string]>([
  ['without records', [], 'it has no records'],
  [
    'of other clusters',
    [write(1, 'web-a - 1', { cluster: 'us-2' }), write(1, 'web-a - 1', { cluster: 'us-1' })],
    'it has us-1, us-2',
  ],
  ['of other Services', [write(1, 'web-a - 1', { service: 'wed' })], 'of that cluster it has shop/wed'],
  ['that has lost them', [lost('eu-1')], 'of that cluster it has no Service'],
  [
    'of many Services',
    Array.from({ length: 12 }, (_, index) => write(1, 'web-a - 1', { service: `s${index}` })),
    's7, shop/s8, shop/s9 and more',
  ],
])('says of a recording %s what there is', async (_, lines, text) => {
  const reading = read(...lines)
  await expect(reading).rejects.toThrow(HistoryError)
  await expect(reading).rejects.toThrow(
    'there is nothing of Service shop/web of cluster eu-1 in the recording: ',
  )
  await expect(reading).rejects.toThrow(text)
})
