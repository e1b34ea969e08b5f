import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadLetterSender, type DeadLetter, encodeMessage } from '../../../shared/queue/index.ts'
import { startTestQueue, type TestQueue } from '../../../test/support/test-queue.ts'
import { type EmbeddedQueue, startEmbeddedQueue } from '../../local/embedded-queue/embedded-queue.ts'
import { capturing } from '../../program.fixtures.ts'
import { NONE } from './redrive.ts'
import {
  DeadLettersError,
  dropLetters,
  type LetterOptions,
  listLetters,
  type RedriveTarget,
  redriveLetters,
} from './run.ts'

const keyOf = (service: string, cluster: string) => ({ cluster, namespace: 'shop', service })

describe('the letters of a dead-letter queue', () => {
  let queue: EmbeddedQueue
  let liveArn: string

  beforeEach(async () => {
    queue = await startEmbeddedQueue({ visibilityTimeoutSeconds: 30, maxReceiveCount: 5 })
    const { Attributes } = await queue.client.getQueueAttributes({
      QueueUrl: queue.lanes.live.url,
      AttributeNames: ['QueueArn'],
    })
    liveArn = Attributes?.QueueArn ?? ''
  })
  afterEach(() => queue.stop())

  async function write(
    service: string,
    more: Partial<DeadLetter> & { cluster?: string } = {},
  ): Promise<void> {
    const { client, lanes } = queue
    const key = more.key ?? keyOf(service, more.cluster ?? 'east')
    await createDeadLetterSender({ client, queueUrl: lanes.live.deadLetterUrl }).send({
      body: encodeMessage(key),
      failureClass: 'Forbidden',
      reason: 'failed to list Pods: no',
      key,
      attempts: 4,
      sentTimestamp: Date.parse('2026-01-02T03:04:05Z'),
      messageId: 'm',
      sourceQueueArn: liveArn,
      ...more,
    })
  }

  /** Writes the body alone, as SQS' own redrive does. */
  const writeBare = (body: string) =>
    queue.client.sendMessage({ QueueUrl: queue.lanes.live.deadLetterUrl, MessageBody: body })

  type Action = (options: LetterOptions, target: RedriveTarget) => Promise<void>

  async function run(
    action: Action,
    more: Partial<LetterOptions> = {},
    to?: string,
  ): Promise<{ text: string; complaints: string; error?: unknown }> {
    const written = { stdout: '', stderr: '' }
    const options: LetterOptions = {
      queues: [{ url: queue.lanes.live.deadLetterUrl }],
      output: 'text',
      waitSeconds: 0,
      signal: new AbortController().signal,
      ...more,
    }
    const target = { rate: 1_000, ...(to !== undefined && { to }) }
    const error = await capturing(written, () => action(options, target)).catch((thrown: unknown) => thrown)
    const { stdout: text, stderr: complaints } = written
    return { text, complaints, ...(error !== undefined && { error }) }
  }

  async function listed(url = queue.lanes.live.deadLetterUrl): Promise<Record<string, unknown>[]> {
    const { text } = await run(listLetters, { output: 'json', queues: [{ url }] })
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }

  async function onLane(lane: 'live' | 'sweep'): Promise<string[]> {
    const services: string[] = []
    for (;;) {
      const { Messages = [] } = await queue.client.receiveMessage({
        QueueUrl: queue.lanes[lane].url,
        MaxNumberOfMessages: 10,
      })
      if (Messages.length === 0) return services.sort()
      services.push(...Messages.map(({ Body = '' }) => JSON.parse(Body).service))
    }
  }

  describe('when listed', () => {
    it('show their cluster, key, class, attempts and last error', async () => {
      await write('cart')
      const { text } = await run(listLetters)
      expect(text).toMatch(
        /^CLUSTER +SERVICE +CLASS +ATTEMPTS +AGE +LAST ERROR\neast +shop\/cart +Forbidden +4 +\d+s +failed to list Pods: no\n$/,
      )
      expect(await listed()).toEqual([
        {
          cluster: 'east',
          namespace: 'shop',
          service: 'cart',
          class: 'Forbidden',
          attempts: 4,
          firstSent: '2026-01-02T03:04:05.000Z',
          since: expect.any(String),
          error: 'failed to list Pods: no',
          id: expect.any(String),
          queue: queue.lanes.live.deadLetterUrl,
          sourceQueueArn: liveArn,
        },
      ])
    })

    it('stay as they are, however often', async () => {
      const names = Array.from({ length: 25 }, (_, index) => `web-${index}`)
      for (const name of names) await write(name)
      for (let time = 0; time < 3; time++)
        expect((await listed()).map(({ service }) => service).sort()).toEqual(names.toSorted())
    })

    it('include those that the queue itself moved, and bodies that are no messages', async () => {
      await writeBare(encodeMessage(keyOf('cart', 'east')))
      await writeBare('not JSON')
      const letters = await listed()
      expect(letters.map((letter) => letter.class).sort()).toEqual(['MalformedMessage', 'Unfinished'])
      expect(letters.find((letter) => letter.class === 'Unfinished')).toMatchObject({
        cluster: 'east',
        namespace: 'shop',
        service: 'cart',
      })
    })

    it('are found by the URL of their lane, and by cluster, namespace and class', async () => {
      await write('cart')
      await write('till', { cluster: 'west' })
      await write('desk', { failureClass: 'Conflict' })
      await write('lamp', { key: { ...keyOf('lamp', 'east'), namespace: 'home' } })
      expect(await listed(queue.lanes.live.url)).toHaveLength(4)
      const home = await run(listLetters, { output: 'json', filter: { namespace: 'home' } })
      expect(JSON.parse(home.text)).toMatchObject({ namespace: 'home', service: 'lamp' })
      await write('web', { key: { ...keyOf('web', 'east'), ownerKind: 'EndpointSelector' } })
      expect((await listed()).find(({ service }) => service === 'web')).toMatchObject({
        ownerKind: 'EndpointSelector',
      })
      const { text } = await run(listLetters, {
        output: 'json',
        filter: { cluster: 'east', failureClass: 'Conflict' },
      })
      expect(JSON.parse(text)).toMatchObject({ service: 'desk' })
    })

    it('send no control characters to a terminal', async () => {
      await write('cart', { reason: 'a\u009b31mb\nc\u202ed' })
      const { text } = await run(listLetters)
      expect(text).toContain('a 31mb c d\n')
    })

    it('are said to be none on standard error when there are none', async () => {
      expect(await run(listLetters)).toEqual({ text: '', complaints: 'no dead letters\n' })
    })
  })

  describe('when redriven', () => {
    it('go back to the lane that they came from, and are gone', async () => {
      for (let index = 0; index < 12; index++) await write(`web-${index}`)
      const { text, error } = await run(redriveLetters)
      expect(error).toBeUndefined()
      expect(text).toBe('redrove 12 dead letters, 0 remain\n')
      expect(await onLane('live')).toHaveLength(12)
      expect(await listed()).toEqual([])
    })

    it('stay where they are unless the filter lets them through, and when they are no messages', async () => {
      await write('cart')
      await write('till', { cluster: 'west' })
      await writeBare('not JSON')
      const { text, error } = await run(redriveLetters, { filter: { cluster: 'east' } })
      expect(error).toBeUndefined()
      expect(text).toBe('redrove 1 dead letter, 2 remain\n')
      const all = await run(redriveLetters, { output: 'json' })
      expect(JSON.parse(all.text)).toEqual({ ...NONE, redriven: 1, malformed: 1, left: 1 })
      expect(await onLane('live')).toEqual(['cart', 'till'])
      expect((await listed()).map((letter) => letter.class)).toEqual(['MalformedMessage'])
    })

    it.each([
      ['listed', listLetters],
      ['sent back', redriveLetters],
      ['dropped', dropLetters],
    ])(
      'are not %s by a cluster, namespace or class that none of them has, which is an error',
      async (_, command) => {
        await write('cart')
        for (const filter of [{ cluster: 'eats' }, { failureClass: 'Timeout' }]) {
          const { error } = await run(command, { filter })
          expect(error).toEqual(
            new DeadLettersError(
              'none of 1 dead letter is of that cluster and class; there are: east (Forbidden)',
            ),
          )
        }
        const { error } = await run(command, { filter: { namespace: 'home' } })
        expect(error).toHaveProperty(
          'message',
          'none of 1 dead letter is of that cluster, namespace and class; there are: east/shop (Forbidden)',
        )
        expect(await listed()).toHaveLength(1)
      },
    )

    it('need a lane where they do not say theirs', async () => {
      await writeBare(encodeMessage(keyOf('cart', 'east')))
      const lost = await run(redriveLetters)
      expect(lost.error).toBeInstanceOf(DeadLettersError)
      expect(await listed()).toHaveLength(1)
      await run(redriveLetters, { queues: [{ url: queue.lanes.live.url }] })
      expect(await onLane('live')).toEqual(['cart'])
      await write('till')
      await run(redriveLetters, {}, queue.lanes.sweep.url)
      expect(await onLane('sweep')).toEqual(['till'])
    })

    it('go back each to its own lane where two lanes have the same dead-letter queue', async () => {
      const { live, sweep } = queue.lanes
      const { Attributes } = await queue.client.getQueueAttributes({
        QueueUrl: sweep.url,
        AttributeNames: ['QueueArn'],
      })
      await write('cart')
      await write('till', { sourceQueueArn: Attributes?.QueueArn ?? '' })
      await writeBare(encodeMessage(keyOf('shop', 'east')))
      const url = live.deadLetterUrl
      const ofBoth = [
        { url, laneUrl: live.url },
        { url, laneUrl: sweep.url },
      ]
      const { error } = await run(redriveLetters, { queues: ofBoth })
      expect(error).toHaveProperty('message', expect.stringContaining('1 dead letter without a lane'))
      expect([await onLane('live'), await onLane('sweep')]).toEqual([['cart'], ['till']])
      await run(redriveLetters, { queues: [{ url, laneUrl: sweep.url }, { url }] })
      expect(await onLane('sweep')).toEqual(['shop'])
    })

    it('go back whatever the clock of this machine says', async () => {
      await write('cart')
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
      const { text } = await run(redriveLetters)
      vi.useRealTimers()
      expect(text).toBe('redrove 1 dead letter, 0 remain\n')
      expect(await onLane('live')).toEqual(['cart'])
    })

    it('stay when their lane is not there, and hold up no others', async () => {
      await write('cart', { sourceQueueArn: `${liveArn}-gone` })
      await write('till')
      const { error } = await run(redriveLetters)
      expect(error).toBeInstanceOf(DeadLettersError)
      expect(await onLane('live')).toEqual(['till'])
      expect((await listed()).map(({ service }) => service)).toEqual(['cart'])
    })
  })

  describe('of a queue that is the dead-letter target of no other', () => {
    let bare: TestQueue
    let url: string
    beforeEach(async () => {
      bare = await startTestQueue('live')
      // Its own name of its host is none that every resolver knows.
      const { port, pathname } = new URL(bare.queueUrl)
      url = `http://127.0.0.1:${port}${pathname}`
      await bare.client.sendMessage({
        QueueUrl: bare.queueUrl,
        MessageBody: encodeMessage(keyOf('web', 'east')),
      })
    })
    afterEach(() => bare.stop())

    it.each([
      ['listed', listLetters],
      ['redriven', redriveLetters],
      ['dropped', dropLetters],
    ])('are not %s, and none is hidden', async (_, action) => {
      const { text, error } = await run(action, { queues: [{ url }] })
      expect(error).toHaveProperty(
        'message',
        expect.stringContaining(`whether queue ${url} is a dead-letter queue`),
      )
      expect(text).toBe('')
      const { Messages } = await bare.client.receiveMessage({ QueueUrl: bare.queueUrl })
      expect(Messages).toHaveLength(1)
    })

    it('are refused under the name of a lane that a run reports as well', async () => {
      const queues = [{ url: queue.lanes.live.url, laneUrl: queue.lanes.sweep.url }]
      const { error } = await run(dropLetters, { queues })
      expect(error).toHaveProperty('message', expect.stringContaining('is no dead-letter queue'))
    })

    it('are dropped by force', async () => {
      const { text } = await run(dropLetters, { queues: [{ url }], force: true })
      expect(text).toBe('dropped 1 dead letter, left 0\n')
    })
  })

  describe('when dropped', () => {
    it('are gone as far as the filter lets them through', async () => {
      await write('cart')
      await write('till', { cluster: 'west' })
      expect((await run(dropLetters, { filter: { cluster: 'east' } })).text).toBe(
        'dropped 1 dead letter, left 1\n',
      )
      expect((await listed()).map(({ service }) => service)).toEqual(['till'])
      await writeBare('not JSON')
      expect((await run(dropLetters, { output: 'json' })).text).toBe('{"dropped":2,"left":0}\n')
      expect(await listed()).toEqual([])
    })
  })
})
