import { expect, it } from 'vitest'
import { combineRecorders } from '../index.ts'
import { createMemoryRecorder } from './memory-sink.fixtures.ts'

const key = (service: string) => ({ cluster: 'eu-1', namespace: 'shop', service })
const SERVICES = Array.from({ length: 100 }, (_, index) => key(`web-${index}`))

it('several recorders record what each records alone', () => {
  const { sink: all, recorder: whole } = createMemoryRecorder()
  const { sink: some, recorder: half } = createMemoryRecorder({ share: 0.5 })
  const recorder = combineRecorders(whole, half)
  const slice = {
    metadata: { name: 'web-a', resourceVersion: '1' },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
  }
  for (const service of SERVICES) {
    expect(recorder.records(service)).toBe(true)
    recorder.saw(service, [slice])
    recorder.sent({ ...service, about: ['pod'], count: 1 })
    recorder.gone(service, 'web-a')
  }
  const namesIn = (sink: typeof all) =>
    sink.records().flatMap((record) => ('service' in record ? [`${record.kind} ${record.service}`] : []))
  const expected = (services: typeof SERVICES) =>
    services.flatMap(({ service }) => ['snapshot', 'change', 'gone'].map((kind) => `${kind} ${service}`))
  expect(namesIn(all)).toEqual(expected(SERVICES))
  const recorded = SERVICES.filter((service) => half.records(service))
  expect(namesIn(some)).toEqual(expected(recorded))
  expect(recorded.length).toBeGreaterThan(20)
  expect(recorded.length).toBeLessThan(80)
})

it('none records where none of them does', () => {
  const { recorder } = createMemoryRecorder({ share: 0 })
  expect(combineRecorders(recorder, recorder).records(key('web'))).toBe(false)
})
