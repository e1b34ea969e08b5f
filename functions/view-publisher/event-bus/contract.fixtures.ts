import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BusEvent, EventBus } from './event-bus.ts'

/** A bus, and what it has taken so far; `received` waits where events take their time. */
export interface BusUnderTest {
  readonly bus: EventBus
  received(atLeast: number): Promise<readonly Omit<BusEvent, 'time'>[]>
  close(): Promise<void>
}

/**
 * Tests what every event bus does.
 * @param limitsSize false for an emulator that takes requests of any size, which EventBridge does not
 */
export function describeEventBus(
  name: string,
  open: () => Promise<BusUnderTest>,
  { limitsSize = true } = {},
): void {
  describe(`an event bus ${name}`, () => {
    let subject: BusUnderTest
    beforeAll(async () => {
      subject = await open()
    })
    afterAll(() => subject?.close())

    const { signal } = new AbortController()
    const event = (index: number, detail: unknown = { index }): BusEvent => ({
      source: 'sliceflow',
      detailType: 'View Object Added',
      detail: typeof detail === 'string' ? detail : JSON.stringify(detail),
      time: new Date('2026-01-02T03:04:05Z'),
    })
    const indexes = async (atLeast: number): Promise<number[]> =>
      (await subject.received(atLeast)).map(({ detail }) => JSON.parse(detail).index).sort((a, b) => a - b)

    it('takes up to ten events at once, as they are', async () => {
      const events = Array.from({ length: 10 }, (_, index) => event(index))
      expect(await subject.bus.put(events, signal)).toEqual(events.map(() => undefined))
      const [first] = await subject.received(10)
      expect(first).toMatchObject({ source: 'sliceflow', detailType: 'View Object Added' })
      expect(await indexes(10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    })

    it('says which of them it does not take', async () => {
      const answers = await subject.bus.put([event(10), event(11, 'no JSON'), event(12)], signal)
      expect(answers.map((answer) => answer?.code)).toEqual([undefined, 'MalformedDetail', undefined])
      expect((await indexes(12)).slice(10)).toEqual([10, 12])
    })

    it('refuses more than ten as a whole', async () => {
      const events = Array.from({ length: 11 }, (_, index) => event(20 + index))
      await expect(subject.bus.put(events, signal)).rejects.toThrow()
      expect(await indexes(12)).toHaveLength(12)
    })

    it.runIf(limitsSize)('refuses more than 256 KB as a whole', async () => {
      const large = event(40, { index: 40, text: 'x'.repeat(256 * 1024) })
      await expect(subject.bus.put([large], signal)).rejects.toThrow()
      expect(await indexes(12)).toHaveLength(12)
    })

    it('accepts nothing once its signal aborts', async () => {
      const stopped = AbortSignal.abort(new Error('stopped'))
      await expect(subject.bus.put([event(50)], stopped)).rejects.toThrow()
      expect(await indexes(12)).toHaveLength(12)
    })
  })
}
