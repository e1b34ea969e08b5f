import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { describeIn, type Subject } from './subject.ts'

const HANDLED = 'ConfigMap in version "v1" cannot be handled as a ConfigMap:'
const UNRECOGNIZED = 'the object provided is unrecognized (must be of type ConfigMap):'

/** Describes the kinds of bodies, and the answers to those that are wrong. */
export function describeRequestBodies(subject: Subject): void {
  describeIn(subject, 'request-bodies', (place) => {
    const refusalOf = async (answer: Promise<{ status: number; body: { message: string } }>) => {
      const { status, body } = await answer
      return [status, body.message]
    }

    it.each<[body: unknown, status: number, message: string]>([
      [
        { apiVersion: 'x/y/z', kind: 'ConfigMap' },
        400,
        `${UNRECOGNIZED} unexpected GroupVersion string: x/y/z ({"apiVersion":"x/y/z","kind":" ...)`,
      ],
      [
        { kind: 1, metadata: [] },
        400,
        `${UNRECOGNIZED} couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1,"metadata":[]})`,
      ],
      [
        { metadata: { name: 'x', creationTimestamp: 5 } },
        400,
        `${HANDLED} json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string`,
      ],
      [
        { metadata: { name: 'x', creationTimestamp: '2026-01-01' } },
        400,
        `${HANDLED} parsing time "2026-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"`,
      ],
      [
        'null',
        422,
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ],
      [
        { metadata: { name: 'x', finalizers: ['orphan', 'foregroundDeletion'] } },
        422,
        'ConfigMap "x" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ])('are refused: %j', async (body, status, message) => {
      expect(await refusalOf(place.client.post(place.path('configmaps'), body))).toEqual([status, message])
    })

    it('are not searched for unknown fields where they cannot be decoded', async () => {
      const path = `${place.path('configmaps')}?fieldValidation=Strict`
      expect(
        await refusalOf(place.client.post(path, { metadata: { name: 'x', unknown: 1 }, data: ['a'] })),
      ).toEqual([
        400,
        `${HANDLED} json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string`,
      ])
    })

    it('get warnings about unknown and repeated fields in the order of the body', async () => {
      const metadata = '"metadata":{"name":"x","q":1,"labels":{"a":"b","a":"c"},"r":{"s":1,"s":2}}'
      const body = `{"z":1,"z":2,${metadata},"data":{"a":"b","a":"c","a":"d"},"y":1}`
      const warnings = [
        'unknown field "z"',
        'unknown field "metadata.q"',
        'duplicate field "metadata.labels.a"',
        'unknown field "metadata.r"',
        'duplicate field "data.a"',
        'unknown field "y"',
      ]
      const path = `${place.path('configmaps')}?dryRun=All&fieldValidation=`
      const warned = await place.client.post(`${path}Warn`, body)
      expect([warned.status, warned.headers.warning]).toEqual([
        201,
        warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', '),
      ])
      expect(await refusalOf(place.client.post(`${path}Strict`, body))).toEqual([
        400,
        `${HANDLED} strict decoding error: ${warnings.join(', ')}`,
      ])
    })

    it.each([
      [
        { gracePeriodSeconds: 1.5 },
        'number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { propagationPolicy: 3 },
        'number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
      ],
      [
        { preconditions: { uid: 3 } },
        'number into Go struct field Preconditions.preconditions.uid of type types.UID',
      ],
      [{ dryRun: [3] }, 'number into Go struct field DeleteOptions.dryRun of type string'],
    ])('of deletions are refused where a field is of another type: %j', async (options, why) => {
      const refused = [400, `json: cannot unmarshal ${why}`]
      const none = '?labelSelector=none%3Dnone'
      for (const path of [place.path('configmaps', 'none'), `${place.path('configmaps')}${none}`]) {
        expect(await refusalOf(place.client.delete(path, options))).toEqual(refused)
        const yaml = { body: stringify(options), headers: { 'content-type': 'application/yaml' } }
        expect(await refusalOf(place.client.send('DELETE', path, yaml))).toEqual(refused)
      }
    })

    it('of deletions say which policy, and not with an empty word', async () => {
      const path = place.path('configmaps', 'none')
      const unsupported = `propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"`
      expect(await refusalOf(place.client.delete(`${path}?propagationPolicy=`))).toEqual([
        422,
        `DeleteOptions.meta.k8s.io "" is invalid: ${unsupported}`,
      ])
      expect((await refusalOf(place.client.delete(path, { propagationPolicy: null })))[0]).toBe(404)
    })

    it.each([
      ['pods', { spec: { restartPolicy: 3 } }, 'PodSpec.spec.restartPolicy of type v1.RestartPolicy'],
      ['services', { spec: { ipFamilies: 'IPv4' } }, 'ServiceSpec.spec.ipFamilies of type []v1.IPFamily'],
      [
        'pods',
        { spec: { volumes: [{ name: 'v', configMap: { name: 3 } }] } },
        'ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name of type string',
      ],
      [
        'services',
        { spec: { ports: [{ targetPort: {} }] } },
        'ServicePort.spec.ports.targetPort of type int32',
      ],
    ])('of %s get errors with the names that types have in Go: %j', async (plural, object, type) => {
      const { status, body } = await place.client.post(place.path(plural), object)
      expect([status, body.message.replace(/^.*Go struct field /, '')]).toEqual([400, type])
    })

    it('may name finalizers without a domain for some kinds', async () => {
      const held = { metadata: { name: 'held', finalizers: ['a'] } }
      const statusAt = async (path: string) => (await place.client.post(`${path}?dryRun=All`, held)).status
      expect(await statusAt(`/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases`)).toBe(201)
      expect(await statusAt(place.path('configmaps'))).toBe(422)
    })

    it('reviews no token that is not there', async () => {
      const reviews = '/apis/authentication.k8s.io/v1/tokenreviews'
      expect(await refusalOf(place.client.post(reviews, {}))).toEqual([
        400,
        'token is required for TokenReview in authentication',
      ])
    })

    it('of token reviews keep what they say of a user whom the token does not', async () => {
      const { status, body } = await place.client.post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'x' },
        status: { authenticated: true, user: { username: 'u' }, audiences: ['a'], error: 'none' },
      })
      expect([status, body.status]).toEqual([
        201,
        { user: { username: 'u' }, audiences: ['a'], error: expect.stringContaining('invalid bearer token') },
      ])
    })
  })
}
