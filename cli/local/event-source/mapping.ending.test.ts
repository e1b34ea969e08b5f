import type { SQSEvent } from 'aws-lambda'
import { describe, expect, it, vi } from 'vitest'
import type { QueueClient } from '../../../shared/queue/index.ts'
import { bodiesOf, heldHandler, numbered, useEventSource, waitFor } from './mapping.fixtures.ts'

describe('the end of an event source mapping', () => {
  const scene = useEventSource()
  const { start, send, hideForLonger, countsOf } = scene

  it('drains: waits for running batches and receives no more', async () => {
    await hideForLonger()
    let release = () => {}
    const handler = vi.fn(
      (_event: SQSEvent) =>
        new Promise<undefined>((resolve) => {
          release = () => resolve(undefined)
        }),
    )
    const mapping = await start({ handler })
    await send(['first'])
    await waitFor(() => expect(handler).toHaveBeenCalledOnce())
    let isDrained = false
    const drained = mapping.drain().then(() => {
      isDrained = true
    })
    await send(['second'])
    expect(isDrained).toBe(false)
    release()
    await drained
    expect(handler).toHaveBeenCalledOnce()
    expect(await countsOf(scene.queueUrl)).toEqual({ visible: 1, inFlight: 0 })
  })

  /** Resolves when the mapping polls again with a first message in its hands. */
  async function gatherOne(): Promise<void> {
    const receives = vi.spyOn(scene.queue.client, 'receiveMessage')
    await send(['gathered'])
    await waitFor(() => expect(receives).toHaveBeenCalled())
  }

  it('drains: invokes the function with what it has gathered', async () => {
    await hideForLonger()
    const handler = vi.fn(async (_event: SQSEvent) => undefined)
    const mapping = await start({ handler, limits: { batchSize: 100, batchWindowSeconds: 300 } })
    await gatherOne()
    expect(handler).not.toHaveBeenCalled()
    await mapping.drain()
    expect(handler.mock.calls.map(([event]) => bodiesOf(event))).toEqual([['gathered']])
    expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 0 })
  })

  it('stops: gives back what waits for an invocation, also while it drains', async () => {
    await hideForLonger()
    const { handler, begun, release, running } = heldHandler()
    const mapping = await start({ handler, limits: { batchSize: 1, maximumConcurrency: 2 } })
    await send(numbered(5))
    await waitFor(async () => expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 5 }))
    expect(running()).toBe(2)
    const drained = mapping.drain()
    await mapping.stop()
    expect(await countsOf(scene.queueUrl)).toEqual({ visible: 3, inFlight: 2 })
    release()
    await drained
    expect(begun).toHaveLength(2)
  })

  it('drains: loses no message to a poll that a server goes on with', async () => {
    await hideForLonger()
    const { client } = scene.queue
    // What the client gives up the server does not notice.
    const receiveMessage: QueueClient['receiveMessage'] = (input, { abortSignal } = {}) => {
      const { promise, reject } = Promise.withResolvers<never>()
      abortSignal?.addEventListener('abort', () => reject(abortSignal.reason))
      return Promise.race([client.receiveMessage(input), promise])
    }
    const server = new Proxy(client, {
      get: (target, name) =>
        name === 'receiveMessage' ? receiveMessage : Reflect.get(target, name).bind(target),
    })
    const handler = vi.fn(async (_event: SQSEvent) => undefined)
    const mapping = await start({ client: server, isOwnQueue: false, handler })
    const drained = mapping.drain()
    await send(['late'])
    await drained
    expect(handler.mock.calls.map(([event]) => bodiesOf(event))).toEqual([['late']])
    expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 0 })
  })

  it('drains: handles what waits for an invocation', async () => {
    await hideForLonger()
    const { handler, begun, release } = heldHandler()
    const mapping = await start({ handler, limits: { batchSize: 1, maximumConcurrency: 2 } })
    await send(numbered(5))
    await waitFor(async () => expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 5 }))
    const drained = mapping.drain()
    release()
    await drained
    expect(begun.sort()).toEqual(numbered(5))
    expect(await countsOf(scene.queueUrl)).toEqual({ visible: 0, inFlight: 0 })
  })
})
