import { describe, expect, it } from 'vitest'
import type { Endpoint, EndpointSlice } from '../../../shared/endpointslice/index.ts'
import { CircuitOpenError } from '../../../shared/kubernetes/index.ts'
import { SliceFightError } from '../../../shared/reconciler/index.ts'
import type { SliceWrite } from '../../../shared/recording/index.ts'
import { createRecentEvents } from './recent-events.ts'

const WEB = { cluster: 'eu-1', namespace: 'shop', service: 'web' }
const SENT_AT = '2026-03-01T12:00:00.000Z'
const NOW = Date.parse(SENT_AT) + 8

const endpoint = (address: string, ready = true): Endpoint => ({
  addresses: [address],
  conditions: { ready },
  targetRef: { kind: 'Pod', name: `web-${address.split('.').at(-1)}` },
})
const slice = (...endpoints: readonly Endpoint[]): EndpointSlice => ({
  metadata: { name: 'web-a' },
  addressType: 'IPv4',
  endpoints: [...endpoints],
  ports: [],
})

function setUp() {
  const { recorder, observer, take, latest } = createRecentEvents(() => NOW)
  const wrote = (write: Partial<SliceWrite>, reasons: Partial<SliceWrite['reasons']> = {}): void =>
    recorder.wrote(WEB, {
      action: 'update',
      ...write,
      reasons: { removalCauseOf: () => ({ cause: 'Deleted' }), podVersion: () => undefined, ...reasons },
    })
  return { recorder, observer, take, latest, wrote, texts: () => take().events.map(({ text }) => text) }
}

describe('what happened', () => {
  it('reports for each write what came, went and changed, why, and how soon', () => {
    const { wrote, take } = setUp()
    wrote(
      {
        before: slice(endpoint('10.0.0.1'), endpoint('10.0.0.2'), endpoint('10.0.0.3', false)),
        after: slice(endpoint('10.0.0.2', false), endpoint('10.0.0.3'), endpoint('10.0.0.4')),
      },
      { message: { sentAt: SENT_AT, receiveCount: 1 } },
    )
    expect(take()).toEqual({
      more: 0,
      events: [
        {
          ...WEB,
          id: 1,
          at: NOW,
          kind: 'write',
          text: 'slice web-a written: 10.0.0.1 left: pod web-1 was deleted; 10.0.0.2: pod web-2 became unready; 10.0.0.3: pod web-3 became ready; 10.0.0.4 came: pod web-4 is ready; 8 ms after its key was sent',
        },
      ],
    })
    expect(take()).toEqual({ events: [], more: 0 })
  })

  it('names a cluster set in its text, which is no cluster that the page could show', () => {
    const { observer, take } = setUp()
    observer.onFailed({ ...WEB, cluster: 'clusterset:prod' }, new Error('500'))
    expect(take().events).toEqual([
      { id: 1, at: NOW, kind: 'failed', text: 'cluster set prod, Service shop/web: 500' },
    ])
  })

  it('counts endpoints where there are many, and says where they moved', () => {
    const { wrote, texts } = setUp()
    const many = Array.from({ length: 4 }, (_, index) => endpoint(`10.0.0.${index}`))
    wrote({ action: 'create', after: slice(...many) })
    wrote(
      { action: 'delete', before: slice(...many) },
      { removalCauseOf: () => ({ cause: 'Moved', to: 'web-b' }) },
    )
    wrote({ before: slice(), after: slice() })
    expect(texts()).toEqual([
      'slice web-a made: 4 endpoints came: their pods are ready',
      'slice web-a deleted: 4 endpoints moved to slice web-b',
      'slice web-a written: the same endpoints',
    ])
  })

  it('distinguishes holds, fights, failures, dead letters and foreign deletions', () => {
    const { recorder, observer, wrote, take } = setUp()
    wrote({ before: slice(), after: slice() }, { hold: 'held' })
    wrote({ before: slice(), after: slice() }, { fights: ['web-b'] })
    recorder.gone(WEB, 'web-c')
    observer.onFailed(WEB, new Error('refused by a webhook'))
    observer.onFailed(WEB, new SliceFightError('shop/web', []))
    observer.onDeadLetter({
      key: WEB,
      failureClass: 'Forbidden',
      reason: 'no',
      body: '{}',
      attempts: 1,
      sentTimestamp: 0,
      messageId: 'm1',
      sourceQueueArn: '',
    })
    observer.onSynced('eu-1')
    expect(take().events.map(({ kind, text }) => [kind, text])).toEqual([
      ['held', 'slice web-a written: the same endpoints; the plan is held, as it removes too much'],
      [
        'fight',
        'slice web-a written: the same endpoints; left alone, as another client keeps editing them: web-b',
      ],
      ['gone', 'slice web-c was deleted by another client'],
      ['failed', 'refused by a webhook'],
      ['fight', expect.stringContaining('failed to repair slices')],
      ['dead letter', 'given up, as a permission is missing: no'],
      ['synced', 'every kind was listed'],
    ])
  })

  it('is silent of keys that were not tried, as a cluster does not answer', () => {
    const { observer, take } = setUp()
    observer.onFailed(WEB, new CircuitOpenError('not tried', 1, undefined))
    expect(take().events).toEqual([])
  })

  it('shows of what others say one line of what prints, cut, and without credentials', () => {
    const { observer, texts } = setUp()
    observer.onFailed(WEB, new Error(`bad\u001b[2J\n\u202eline Bearer abcDEF123456789 ${'x'.repeat(1_000)}`))
    const [text = ''] = texts()
    expect(text).toMatch(/^bad \[2J line Bearer \[redacted\] x+…$/)
    expect(text.length).toBeLessThan(310)
  })

  it('is bounded, whatever happens between two reads, and counts what is beyond', () => {
    const { wrote, take, latest } = setUp()
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 1_000; count++) wrote({ before: slice(), after: slice() })
      const { events, more } = take()
      expect([events.length, more]).toEqual([50, 950])
    }
    expect(latest.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => 301 + index))
  })

  it('counts a slice that nobody can read, and goes on', () => {
    const { wrote, take } = setUp()
    wrote({ before: slice(), after: { ...slice(), endpoints: [null as never] } })
    wrote({ before: slice(), after: slice() })
    expect(take()).toMatchObject({
      events: [{ id: 1, text: 'slice web-a written: the same endpoints' }],
      more: 1,
    })
  })
})
