import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import type { WebhookHandler } from '../../../testing/webhook-server.ts'
import { describeIn, type Subject } from '../subject.ts'
import { allow, change, outcomeOf, rule, useHooks } from './hooks.ts'

const calling = (name: string): string => `failed calling webhook "w0.${name}.example.com"`

/** Describes what happens to requests whose webhook cannot be asked, or gives no valid answer. */
export function describeFailures(subject: Subject): void {
  describeIn(subject, 'admission-failures', (place) => {
    const hooks = useHooks(place)
    const post = (name: string) => place.client.post(place.path('configmaps'), { metadata: { name } })
    let current: ['mutating' | 'validating', string] | undefined
    const register = async (kind: 'mutating' | 'validating', name: string, webhook: Json = {}) => {
      await hooks.register(kind, name, { rules: [rule('configmaps')], ...webhook })
      current = [kind, name]
    }
    beforeEach(() => hooks.answer((review) => allow(review)))
    afterEach(async () => {
      if (current) await hooks.remove(...current)
      current = undefined
    })

    const silent: WebhookHandler = () => undefined
    const failing: WebhookHandler = (_, response) => {
      response.writeHead(500).end('broken')
    }
    const otherUid: WebhookHandler = (review) => allow({ ...review, request: { uid: 'zzz' } })

    it('refuses with a 500 that says why', async () => {
      await register('validating', 'refused')
      hooks.answer(failing)
      const { status, body } = await post('refused')
      const message = `${calling('refused')}: failed to call webhook: an error on the server ("broken") has prevented the request from succeeding`
      expect(status).toBe(500)
      expect(body).toMatchObject({
        reason: 'InternalError',
        message: `Internal error occurred: ${message}`,
        details: { causes: [{ message }] },
      })
    })

    it('lets the request pass where the failure is to be ignored', async () => {
      await register('validating', 'ignored', { failurePolicy: 'Ignore' })
      hooks.answer(failing)
      expect((await post('ignored')).status).toBe(201)
      hooks.answer(otherUid)
      expect((await post('ignored-uid')).status).toBe(201)
      hooks.answer((review) => allow(review, { allowed: false }))
      expect((await post('not-ignored')).status).toBe(400)
    })

    it('gives the webhook its time, and no more', async () => {
      await register('validating', 'slow', { timeoutSeconds: 1 })
      hooks.answer(silent)
      const { status, body } = await post('slow')
      const { port } = new URL(hooks.server.url)
      expect(status).toBe(500)
      expect(body.message).toBe(
        `Internal error occurred: ${calling('slow')}: failed to call webhook: Post "https://127.0.0.1:${port}/slow/0?timeout=1s": context deadline exceeded`,
      )
    })

    it('does not count an answer that is none of a validating webhook', async () => {
      await register('validating', 'patching')
      hooks.answer((review) => allow(review, { patchType: 'JSONPatch', patch: 'W10=' }))
      expect(outcomeOf(await post('patching'))).toEqual([
        500,
        'InternalError',
        `Internal error occurred: ${calling('patching')}: received invalid webhook response: validating webhook may not return response.patch`,
      ])
    })

    it('says why a patch cannot be read or does not apply', async () => {
      await register('mutating', 'misfit', { failurePolicy: 'Ignore' })
      hooks.answer((review) => change(review, { op: 'remove', path: '/data/x' }))
      const body = { metadata: { name: 'misfit' }, data: { a: 'b' } }
      expect(outcomeOf(await place.client.post(place.path('configmaps'), body))).toEqual([
        500,
        'InternalError',
        "Internal error occurred: error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value",
      ])
      await hooks.remove('mutating', 'misfit')
      await register('mutating', 'unread')
      hooks.answer((review) => allow(review, { patchType: 'JSONPatch', patch: '!!!' }))
      expect(outcomeOf(await post('unread'))[2]).toBe(
        `Internal error occurred: ${calling('unread')}: failed to call webhook: illegal base64 data at input byte 0`,
      )
    })

    it('says that an answer breaks off', async () => {
      await register('validating', 'half')
      hooks.answer((_, response) => {
        response.setHeader('content-length', 1000)
        response.write('{"a', () => response.destroy())
      })
      expect(outcomeOf(await post('half'))[2]).toBe(
        `Internal error occurred: ${calling('half')}: failed to call webhook: unexpected error when reading response body. Please retry. Original error: unexpected EOF`,
      )
    })

    it('looks at the verdict before the patch, and at its type only where it changes something', async () => {
      await register('mutating', 'verdict')
      const patch = Buffer.from('{').toString('base64')
      hooks.answer((review) => allow(review, { allowed: false, patchType: 'JSONPatch', patch }))
      expect((await post('verdict-no')).status).toBe(400)
      hooks.answer((review) => allow(review, { patchType: 'Merge', patch: 'W10=' }))
      expect((await post('verdict-empty')).status).toBe(201)
      hooks.answer((review) => ({
        ...allow(review),
        response: { ...change(review, { op: 'add', path: '/data', value: {} }).response, patchType: 'Merge' },
      }))
      expect(outcomeOf(await post('verdict-type'))[2]).toBe(
        `Internal error occurred: ${calling('verdict')}: unsupported patch type "Merge"`,
      )
    })

    it('refuses a patch of what is deleted, whatever the failure policy', async () => {
      await register('mutating', 'deletion', {
        failurePolicy: 'Ignore',
        rules: [rule('configmaps', ['DELETE'])],
      })
      await post('deleted')
      const patch = Buffer.from('[{"op":"add","path":"/data","value":{}}]').toString('base64')
      hooks.answer((review) => allow(review, { patchType: 'JSONPatch', patch }))
      expect(outcomeOf(await place.client.delete(place.path('configmaps', 'deleted')))).toEqual([
        500,
        'InternalError',
        'Internal error occurred: admission webhook "w0.deletion.example.com" attempted to modify the object, which is not supported for this operation',
      ])
    })
  })
}
