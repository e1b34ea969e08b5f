import { beforeEach, expect, it } from 'vitest'
import { createRawClient } from '../../../../../test/support/raw-client.ts'
import { describeIn, PATIENCE, type Subject } from '../subject.ts'
import { allow, rule, useHooks } from './hooks.ts'

/** Describes how long a webhook may take, and what happens to a request whose client is gone. */
export function describeTimeLimits(subject: Subject): void {
  describeIn(subject, 'admission-time-limits', (place) => {
    const hooks = useHooks(place)
    let asked: string[] = []
    let brokenOff = 0
    beforeEach(() => {
      asked = []
      brokenOff = 0
      hooks.answer((review, _, path) => {
        asked.push(path)
        return allow(review)
      })
    })
    const post = (name: string, query = '') =>
      place.client.post(`${place.path('configmaps')}${query}`, { metadata: { name } })
    /** Answers nothing, and counts who stops waiting. */
    const holdUp = () =>
      hooks.answer((_, response, path) => {
        asked.push(path)
        response.on('close', () => brokenOff++)
        return undefined
      })

    it('are the webhook’s, or what the request leaves of its own', async () => {
      await hooks.register('validating', 'limits', { rules: [rule('configmaps')], timeoutSeconds: 7 })
      for (const query of ['', '?timeout=100s', '?timeout=5s']) {
        expect((await post(`limit-${asked.length}`, query)).status).toBe(201)
      }
      const [own, longer, shorter] = asked.map((path) => path.split('?')[1])
      expect([own, longer]).toEqual(['timeout=7s', 'timeout=7s'])
      // A busy machine may have used some of it before.
      expect(shorter).toMatch(/^timeout=[1-5]s$/)
      await hooks.remove('validating', 'limits')
    })

    it.each(['mutating', 'validating'] as const)(
      'end a request, and with it the call of a %s webhook',
      async (kind) => {
        const name = `late-${kind}`
        await hooks.register(kind, name, { rules: [rule('configmaps')], timeoutSeconds: 30 })
        holdUp()
        // kube-apiserver may break off the connection instead, which other tests use.
        const client = createRawClient(subject.server.kubeconfig)
        const late = client.post(`${place.path('configmaps')}?timeout=4s`, { metadata: { name } })
        const status = await late.then((answer) => answer.status).catch(() => 504)
        client.close()
        expect(status).toBe(504)
        // Well before the webhook's own time is over.
        await expect.poll(() => brokenOff, { ...PATIENCE, timeout: 15_000 }).toBe(1)
        expect(asked).toHaveLength(1)
        expect((await place.client.get(place.path('configmaps', name))).status).toBe(404)
        await hooks.remove(kind, name)
      },
    )
  })
}
