import { beforeAll, expect, it } from 'vitest'
import type { RawRequest } from '../../../../test/support/raw-client.ts'
import { describeIn, type Subject } from './subject.ts'

const PLAIN = { 'content-type': 'text/plain', accept: 'text/html' }
const UNKNOWN =
  '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf'
const parsing = (value: string, why: string): string => `strconv.ParseInt: parsing "${value}": ${why}`

/** Describes queries and headers, and the order in which a server looks at them. */
export function describeRequestOptions(subject: Subject): void {
  describeIn(subject, 'request-options', (place) => {
    const list = () => place.path('configmaps')

    beforeAll(async () => {
      await place.create('configmaps', { metadata: { name: 'here' } })
    })

    it.each<[what: string, request: string, sent: RawRequest, answer: [status: number, message: string]]>([
      [
        'an empty dryRun is a wrong one, and options come before bodies',
        'POST ?dryRun=',
        { body: { metadata: { name: 'x' }, data: [] } },
        [
          422,
          'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"',
        ],
      ],
      [
        'wrong options have an order of their own',
        `POST ?fieldValidation=x&dryRun=x&fieldManager=${encodeURIComponent('é\tb')}`,
        { body: {} },
        [
          422,
          'CreateOptions.meta.k8s.io "" is invalid: [fieldManager: Invalid value: "é\\tb": invalid character U+0009 (at position 2), dryRun: Unsupported value: ["x"]: supported values: "All", fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"]',
        ],
      ],
      ['an empty limit is none', 'GET ?limit=', {}, [400, parsing('', 'invalid syntax')]],
      [
        'a limit has 64 bits',
        'GET ?limit=9223372036854775808',
        {},
        [400, parsing('9223372036854775808', 'value out of range')],
      ],
      [
        'numbers come before selectors',
        'GET ?labelSelector=a/b/c&limit=x',
        {},
        [400, parsing('x', 'invalid syntax')],
      ],
      [
        'a resourceVersion comes before selectors',
        'GET ?fieldSelector=type=x&resourceVersionMatch=Exact',
        {},
        [
          422,
          'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
        ],
      ],
      [
        'the version of one object is read late',
        'GET /here?resourceVersion=1.5',
        {},
        [500, 'resourceVersion: Invalid value: "1.5": strconv.ParseUint: parsing "1.5": invalid syntax'],
      ],
      ['there is no HTML', 'GET /here', { headers: { accept: 'text/html' } }, [406, UNKNOWN]],
      [
        'the type of a patch',
        'PATCH /here',
        { headers: PLAIN, body: '{}' },
        [415, '415: Unsupported Media Type'],
      ],
      [
        'namespaces come before names',
        'PUT /here',
        { body: { metadata: { namespace: 'other' } } },
        [400, 'the namespace of the provided object does not match the namespace sent on the request'],
      ],
      [
        'what to delete comes before how',
        'DELETE ?limit=x',
        { body: { dryRun: ['x'] } },
        [400, parsing('x', 'invalid syntax')],
      ],
    ])('%s', async (_, request, sent, expected) => {
      const [method = '', rest] = request.split(' ')
      const answer = await place.client.send(method, `${list()}${rest}`, sent)
      expect([answer.status, answer.body.message]).toEqual(expected)
    })

    it('reads the body of a write below an object before it looks for the object', async () => {
      const path = `${place.path('resourcequotas', 'none')}/status`
      expect((await place.client.put(path, { metadata: { name: 'other' } })).status).toBe(400)
      const named = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' } }
      expect((await place.client.put(path, named)).status).toBe(404)
    })

    it('keeps browsers from guessing what a refusal is', async () => {
      const headers = { 'impersonate-user': 'nobody' }
      const { status, headers: told } = await place.client.get(list(), headers)
      expect([status, told['x-content-type-options']]).toEqual([403, 'nosniff'])
      const none = await place.client.get('/APIS/nothing/v1/here')
      expect([none.status, none.headers['x-content-type-options']]).toEqual([404, 'nosniff'])
    })

    it('keeps of owners that stand twice one, and says so', async () => {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }
      const { body, headers } = await place.client.post(list(), {
        metadata: { name: 'owned', ownerReferences: [owner, owner] },
      })
      expect(body.metadata.ownerReferences).toEqual([owner])
      expect(headers.warning).toMatch(/ownerReferences contains duplicate entries; .* observed: u"$/)
      const patched = await place.client.patch(`${list()}/owned`, {
        metadata: { ownerReferences: [owner, owner] },
      })
      expect(patched.body.metadata.ownerReferences).toEqual([owner])
      expect(patched.headers.warning).toMatch(/duplicate entries after mutating admission happens; /)
    })

    it('closes the state that a watch begins with by a bookmark where bookmarks are allowed', async () => {
      for (const version of ['', '&resourceVersion=0']) {
        const watch = await place.client.watch(`${list()}?allowWatchBookmarks=true${version}`)
        const events = await watch.until(({ type }) => type === 'BOOKMARK')
        watch.close()
        expect(events.at(-1).object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
      }
    })
  })
}
