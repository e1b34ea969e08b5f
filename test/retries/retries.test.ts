import { describe, it } from 'vitest'
import { openWorld, RETRY_AFTER_SECONDS } from './world.ts'

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
const keysOf = (cluster: string, services: readonly string[]): string[] =>
  services.map((service) => `${cluster}/${service}`)

/** Far above what these waits take on a quiet machine. */
const TEST_TIMEOUT_MS = 180_000

describe.concurrent('a function on a queue', { timeout: TEST_TIMEOUT_MS }, () => {
  it('makes a dead letter with a class and a story of a key that is refused again and again', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, { maxReceiveCount: 5, hurried: true })
    world.clusters.east.behave('forbidden')
    await world.send('east', ['cart'])
    await world.send('west', ['till'])

    await expect.poll(() => world.deadLetters(), { timeout: 60_000 }).toHaveLength(1)
    const [letter] = await world.deadLetters()
    const attributes = Object.entries(letter?.MessageAttributes ?? {}).map(([name, value]) => [
      name,
      value.StringValue,
    ])
    expect(Object.fromEntries(attributes)).toMatchObject({
      class: 'Forbidden',
      cluster: 'east',
      key: 'shop/cart',
      attempts: '5',
      reason: expect.stringContaining('User "sliceflow" cannot list this'),
      sourceQueueArn: expect.stringMatching(/sliceflow-live$/),
    })
    expect(JSON.parse(letter?.Body ?? '')).toEqual({
      v: 1,
      cluster: 'east',
      namespace: 'shop',
      service: 'cart',
    })
    expect(world.done).toEqual(['west/till'])
  })

  it('goes on with other clusters while one hangs, and does its keys soon after it is back', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, { functionTimeout: 8 })
    const services = named('web', 30)
    world.clusters.east.behave('hanging')
    await world.send('east', services)
    await expect
      .poll(() => world.log.map(({ msg }) => msg), { timeout: 60_000 })
      .toContainEqual(expect.stringContaining('the cluster does not answer'))

    await world.send('west', services)
    await expect
      .poll(() => world.done.toSorted(), { timeout: 60_000 })
      .toEqual(keysOf('west', services).sort())

    world.clusters.east.behave('empty')
    await expect
      .poll(() => new Set(world.done), { timeout: 60_000 })
      .toEqual(new Set([...keysOf('west', services), ...keysOf('east', services)]))
    expect(await world.deadLetters()).toEqual([])
    expect(world.left).toEqual([])
    const reported = world.log.filter(
      ({ msg, cluster }) => cluster === 'east' && /^the cluster /.test(String(msg)),
    )
    expect(reported.map(({ msg }) => msg)).toEqual([
      'the cluster does not answer: its keys wait until it does again',
      'the cluster answers again: its keys are worked on',
    ])
  })

  it('leaves the keys of a cluster that stays away, without dead letters, until they are sent again', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, { maxReceiveCount: 8, hurried: true })
    const services = named('web', 20)
    world.clusters.east.behave('cut')
    await world.send('east', services)
    await expect
      .poll(() => world.left.toSorted(), { timeout: 60_000 })
      .toEqual(keysOf('east', services).sort())
    expect(await world.deadLetters()).toEqual([])
    expect(world.clusters.east.requests.length, 'nearly all attempts were made without a call').toBeLessThan(
      services.length * 2,
    )

    world.clusters.east.behave('empty')
    await expect
      .poll(
        async () => {
          await world.send('east', services)
          return new Set(world.done)
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual(new Set(keysOf('east', services)))
  })

  it('makes no call to a cluster before the time that it asked to wait for', async ({
    expect,
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished)
    const services = named('web', 40)
    world.clusters.east.behave('throttling')
    await world.send('east', services)
    await expect.poll(world.failedMessages, { timeout: 60_000 }).toBe(40)
    const calls = world.clusters.east.requests.length
    // Those that were under way when the first answer came.
    expect(calls).toBeLessThanOrEqual(40)

    world.clusters.east.behave('empty')
    await world.send('east', named('more', 40))
    await world.send('west', services)
    await expect.poll(() => world.done.length, { timeout: 60_000 }).toBe(40)
    await expect.poll(world.failedMessages, { timeout: 60_000 }).toBe(80)
    expect(world.clusters.east.requests).toHaveLength(calls)
    expect(new Set(world.done)).toEqual(new Set(keysOf('west', services)))
    const waits = world.log.flatMap(({ retryInSeconds }) => (retryInSeconds as number | undefined) ?? [])
    expect(Math.min(...waits)).toBeGreaterThan(RETRY_AFTER_SECONDS / 2)
    expect(await world.deadLetters()).toEqual([])
  })
})
