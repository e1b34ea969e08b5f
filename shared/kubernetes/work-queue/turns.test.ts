import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('one caller goes on in each turn of the event loop, in the order of the calls, and events in between', async () => {
  const nextTurn = createTurns()
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    await nextTurn()
    order.push(name)
    setImmediate(() => order.push(`event after ${name}`))
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  await work('d')
  expect(order.filter((each) => each.length === 1)).toEqual(['a', 'b', 'c', 'd'])
  for (const [name, next] of ['ab', 'bc'] as const)
    expect(order.indexOf(`event after ${name}`)).toBeLessThan(order.indexOf(`event after ${next}`))
  expect(order.indexOf('event after a')).toBeLessThan(order.indexOf('c'))
})
