import { beforeAll, expect, it } from 'vitest'
import { describeIn, type Subject } from './subject.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const FORMS = `application/json, application/yaml, ${PROTOBUF}`
const STREAMS = `application/json;stream=watch, ${PROTOBUF};stream=watch`

/** Describes queries and headers, and the order in which a server looks at them. */
export function describeRequestOptions(subject: Subject): void {
  describeIn(subject, 'request-options', (place) => {
    const list = () => place.path('configmaps')
    const refusalOf = async (answer: Promise<{ status: number; body: { message: string } }>) => {
      const { status, body } = await answer
      return [status, body.message]
    }

    beforeAll(async () => {
      await place.create('configmaps', { metadata: { name: 'here' } })
    })

    it('takes an empty dryRun for a wrong one, and looks at options before bodies', async () => {
      const dryRun = 'dryRun: Unsupported value: [""]: supported values: "All"'
      const wrong = { metadata: { name: 'x' }, data: [] }
      expect(await refusalOf(place.client.post(`${list()}?dryRun=`, wrong))).toEqual([
        422,
        `CreateOptions.meta.k8s.io "" is invalid: ${dryRun}`,
      ])
      expect(await refusalOf(place.client.delete(`${list()}/here?dryRun=`))).toEqual([
        422,
        `DeleteOptions.meta.k8s.io "" is invalid: ${dryRun}`,
      ])
    })

    it('names the options that are wrong in an order of their own', async () => {
      const query = `fieldValidation=x&dryRun=x&fieldManager=${encodeURIComponent('é\tb')}`
      expect(await refusalOf(place.client.post(`${list()}?${query}`, {}))).toEqual([
        422,
        'CreateOptions.meta.k8s.io "" is invalid: [fieldManager: Invalid value: "é\\tb": invalid character U+0009 (at position 2), dryRun: Unsupported value: ["x"]: supported values: "All", fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"]',
      ])
    })

    it('refuses numbers that are none or too large', async () => {
      const parsing = (value: string, why: string) => [400, `strconv.ParseInt: parsing "${value}": ${why}`]
      const get = (query: string) => refusalOf(place.client.get(`${list()}?${query}`))
      expect(await get('limit=')).toEqual(parsing('', 'invalid syntax'))
      expect(await get('timeoutSeconds=')).toEqual(parsing('', 'invalid syntax'))
      expect(await get('limit=9223372036854775808')).toEqual(
        parsing('9223372036854775808', 'value out of range'),
      )
      expect(await refusalOf(place.client.delete(`${list()}/here?gracePeriodSeconds=x`))).toEqual(
        parsing('x', 'invalid syntax'),
      )
      expect(await get('resourceVersion=18446744073709551616')).toEqual([
        400,
        'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
      ])
    })

    it('reads numbers before selectors, and knows fields last', async () => {
      const get = (query: string) => refusalOf(place.client.get(`${list()}?${query}`))
      expect(await get('labelSelector=a/b/c&limit=x')).toEqual([
        400,
        'strconv.ParseInt: parsing "x": invalid syntax',
      ])
      expect(await get('fieldSelector=type=x&resourceVersionMatch=Exact')).toEqual([
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ])
    })

    it('lists the media types of a path when it serves none of those requested', async () => {
      const get = (path: string) => refusalOf(place.client.get(path, { accept: 'text/html' }))
      const represented = (types: string) => [
        406,
        `406: Not Acceptable\n\nAvailable representations: ${types}`,
      ]
      expect(await get(`${list()}/here`)).toEqual(represented(FORMS))
      expect(await get(list())).toEqual(represented(`${FORMS}, ${STREAMS}`))
      const accounts = place.path('serviceaccounts', 'x')
      expect((await get(`${accounts}/token`))[0]).toBe(405)
    })

    it('looks at the type of a patch before the types of its answer', async () => {
      const send = (method: string, path: string) =>
        place.client.send(method, path, {
          body: '{}',
          headers: { 'content-type': 'text/plain', accept: 'text/html' },
        })
      for (const path of [`${list()}/here`, `${list()}/none`, `${place.path('pods', 'none')}/status`]) {
        expect(await refusalOf(send('PATCH', path))).toEqual([415, '415: Unsupported Media Type'])
        expect((await send('PUT', path)).status).toBe(406)
      }
      const none = await place.client.send('PATCH', `${list()}/here`, { headers: { accept: 'text/html' } })
      expect(none.status).toBe(415)
      expect((await send('DELETE', `${list()}/here`)).status).toBe(406)
    })

    it('reads the body of a write below an object before it looks for the object', async () => {
      const path = `${place.path('resourcequotas', 'none')}/status`
      expect((await place.client.put(path, { metadata: { name: 'other' } })).status).toBe(400)
      expect((await place.client.put(`${path}?dryRun=x`, {})).status).toBe(422)
      const apply = { body: '{}', headers: { 'content-type': 'application/apply-patch+yaml' } }
      const named = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' } }
      expect((await place.client.put(path, named)).status).toBe(404)
      expect(
        (await place.client.send('PATCH', `${path}?fieldManager=m`, { ...apply, body: named })).status,
      ).toBe(404)
    })

    it('keeps browsers from guessing what a refusal is', async () => {
      const headers = { 'impersonate-user': 'nobody' }
      const { status, headers: told } = await place.client.get(list(), headers)
      expect([status, told['x-content-type-options']]).toEqual([403, 'nosniff'])
      const none = await place.client.get('/APIS/nothing/v1/here')
      expect([none.status, none.headers['x-content-type-options']]).toEqual([404, 'nosniff'])
    })

    it('answers reviews only that have no metadata', async () => {
      const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
      const spec = { nonResourceAttributes: { path: '/x', verb: 'get' } }
      const { status, body } = await place.client.post(reviews, { metadata: { labels: { a: 'b' } }, spec })
      expect(status).toBe(422)
      expect(body.message).toMatch(
        /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: \{"labels":\{"a":"b"\},"managedFields":\[.*\]\}: must be empty$/,
      )
    })

    it('reviews no token that is not there', async () => {
      const reviews = '/apis/authentication.k8s.io/v1/tokenreviews'
      expect(await refusalOf(place.client.post(reviews, {}))).toEqual([
        400,
        'token is required for TokenReview in authentication',
      ])
    })

    it('need apiVersion and kind as strings', async () => {
      const { status, body } = await place.client.post(list(), { kind: 1, metadata: [] })
      expect([status, body.message]).toEqual([
        400,
        'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1,"metadata":[]})',
      ])
    })

    it('takes a version that is none for a failure of its own, of one object', async () => {
      expect(await refusalOf(place.client.get(`${list()}/here?resourceVersion=1.5`))).toEqual([
        500,
        'resourceVersion: Invalid value: "1.5": strconv.ParseUint: parsing "1.5": invalid syntax',
      ])
    })

    it('looks at namespaces before names, and at which objects to delete before how', async () => {
      const other = { metadata: { namespace: 'other' } }
      expect(await refusalOf(place.client.put(`${list()}/here`, other))).toEqual([
        400,
        'the namespace of the provided object does not match the namespace sent on the request',
      ])
      expect((await refusalOf(place.client.delete(`${list()}?limit=x`, { dryRun: ['x'] })))[0]).toBe(400)
      const { body } = await place.client.delete(`${list()}/here`, { kind: 'Nope' })
      expect(body.message).toBe(
        'no kind "Nope" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      )
    })

    it('creates by an update what another has deleted since it was read', async () => {
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases`
      const lease = { metadata: { name: 'gone', resourceVersion: '1' }, spec: { holderIdentity: 'x' } }
      const { status, body } = await place.client.put(`${leases}/gone`, lease)
      expect(status).toBe(201)
      expect(body.metadata.resourceVersion).not.toBe('1')
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

    it('counts no generation of a slice for its annotations', async () => {
      const slice = { metadata: { name: 'noted' }, addressType: 'IPv4', endpoints: [] }
      await place.create('endpointslices', slice)
      const path = place.path('endpointslices', 'noted')
      const noted = await place.client.patch(path, { metadata: { annotations: { a: 'b' } } })
      expect(noted.body.metadata.generation).toBe(1)
      const labelled = await place.client.patch(path, { metadata: { labels: { a: 'b' } } })
      expect(labelled.body.metadata.generation).toBe(2)
    })

    it('says where a text stops being a time', async () => {
      const time = { metadata: { name: 'x', creationTimestamp: '2026-01-01' } }
      expect((await refusalOf(place.client.post(list(), time)))[1]).toBe(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: parsing time "2026-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
      )
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
