import { expect, it } from 'vitest'
import { InOrder } from './in-order.ts'

it('runs a step at once when it waits for nothing', () => {
  const seen: number[] = []
  const order = new InOrder(() => undefined)
  order.run(1, (value) => seen.push(value))
  order.run(2, (value) => seen.push(value))
  expect(seen).toEqual([1, 2])
})

it('keeps the order, whoever has to wait', async () => {
  const seen: string[] = []
  const order = new InOrder(() => undefined)
  const [slow, quick] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  order.run(slow.promise, (value) => seen.push(value))
  order.run(quick.promise, (value) => seen.push(value))
  const done = new Promise<void>((resolve) => {
    order.run('last', (value) => {
      seen.push(value)
      resolve()
    })
  })
  quick.resolve('quick')
  await quick.promise
  expect(seen).toEqual([])
  slow.resolve('slow')
  await done
  expect(seen).toEqual(['slow', 'quick', 'last'])
})

it('reports once what does not come, and runs nothing more', async () => {
  const seen: unknown[] = []
  const failure = Promise.withResolvers<unknown>()
  const order = new InOrder((error) => {
    seen.push(error)
    failure.resolve(error)
  })
  const other = Promise.withResolvers<string>()
  order.run(Promise.reject<string>(new Error('gone')), (value) => seen.push(value))
  order.run(other.promise, (value) => seen.push(value))
  expect(await failure.promise).toEqual(new Error('gone'))
  other.reject(new Error('gone, too'))
  await other.promise.catch(() => undefined)
  order.run('later', (value) => seen.push(value))
  expect(seen).toEqual([new Error('gone')])
})

it('runs nothing more after a failed step, and reports it', () => {
  const seen: unknown[] = []
  const order = new InOrder((error) => seen.push(error))
  const fail = () => {
    throw new Error('cannot')
  }
  expect(() => order.run(1, fail)).toThrow('cannot')
  order.run(2, (value) => seen.push(value))
  expect(seen).toEqual([new Error('cannot')])
})

it('gives up when too many wait', () => {
  const seen: unknown[] = []
  const order = new InOrder((error) => seen.push(error))
  const never = new Promise<string>(() => undefined)
  for (let step = 0; step < 10_005; step++) order.run(never, () => undefined)
  expect(seen).toEqual([new Error('failed to keep more than 10000 steps that wait')])
})
