import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { describeIn, type Subject } from './subject.ts'

/** Describes the kinds of bodies, and the answers to those that are wrong. */
export function describeRequestBodies(subject: Subject): void {
  describeIn(subject, 'request-bodies', (place) => {
    const refusalOf = async (answer: Promise<{ status: number; body: { message: string } }>) => {
      const { status, body } = await answer
      return [status, body.message]
    }

    it('must name a version that can be one', async () => {
      const object = { apiVersion: 'x/y/z', kind: 'ConfigMap' }
      expect(await refusalOf(place.client.post(place.path('configmaps'), object))).toEqual([
        400,
        'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: x/y/z ({"apiVersion":"x/y/z","kind":" ...)',
      ])
      const options = { apiVersion: 'x/y/z' }
      expect(await refusalOf(place.client.delete(place.path('configmaps', 'none'), options))).toEqual([
        400,
        'unexpected GroupVersion string: x/y/z',
      ])
    })

    it('are of no kind that their version does not have', async () => {
      const object = { apiVersion: 'apps/v1', kind: 'ConfigMap' }
      expect(await refusalOf(place.client.post(place.path('configmaps'), object))).toEqual([
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"',
      ])
    })

    it('are not searched for unknown fields where they cannot be decoded', async () => {
      const wrong = { metadata: { name: 'x', unknown: 1 }, data: ['a'] }
      for (const validation of ['Warn', 'Strict']) {
        const path = `${place.path('configmaps')}?fieldValidation=${validation}`
        const { status, body, headers } = await place.client.post(path, wrong)
        expect([status, headers.warning, body.message]).toEqual([
          400,
          undefined,
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
        ])
      }
    })

    it('get warnings about unknown and repeated fields in the order of the body', async () => {
      const metadata = '"metadata":{"name":"x","q":1,"labels":{"a":"b","a":"c"},"r":{"s":1,"s":2}}'
      const body = `{"z":1,"z":2,${metadata},"data":{"a":"b","a":"c","a":"d"},"y":1}`
      const told = [
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
        told.map((text) => `299 - ${JSON.stringify(text)}`).join(', '),
      ])
      expect(await refusalOf(place.client.post(`${path}Strict`, body))).toEqual([
        400,
        `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${told.join(', ')}`,
      ])
    })

    it('of deletions say which policy, and not with an empty word', async () => {
      const path = place.path('configmaps', 'none')
      const unsupported =
        'propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"'
      expect(await refusalOf(place.client.delete(`${path}?propagationPolicy=`))).toEqual([
        422,
        `DeleteOptions.meta.k8s.io "" is invalid: ${unsupported}`,
      ])
      expect((await refusalOf(place.client.delete(path, { propagationPolicy: '' })))[0]).toBe(422)
      expect((await refusalOf(place.client.delete(path, { propagationPolicy: null })))[0]).toBe(404)
    })

    it.each([
      [
        { gracePeriodSeconds: '5' },
        'string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { gracePeriodSeconds: 1.5 },
        'number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ],
      [
        { propagationPolicy: 3 },
        'number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
      ],
      [{ orphanDependents: 1 }, 'number into Go struct field DeleteOptions.orphanDependents of type bool'],
      [
        { preconditions: [] },
        'array into Go struct field DeleteOptions.preconditions of type v1.Preconditions',
      ],
      [
        { preconditions: { uid: 3 } },
        'number into Go struct field Preconditions.preconditions.uid of type types.UID',
      ],
      [{ dryRun: 'All' }, 'string into Go struct field DeleteOptions.dryRun of type []string'],
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

    it('get errors with the names that types have in Go', async () => {
      const typeIn = async (plural: string, object: unknown) => {
        const { status, body } = await place.client.post(place.path(plural), object)
        return [status, body.message.replace(/^.*Go struct field /, '')]
      }
      expect(await typeIn('pods', { spec: { restartPolicy: 3 } })).toEqual([
        400,
        'PodSpec.spec.restartPolicy of type v1.RestartPolicy',
      ])
      expect(await typeIn('services', { spec: { ipFamilies: 'IPv4' } })).toEqual([
        400,
        'ServiceSpec.spec.ipFamilies of type []v1.IPFamily',
      ])
      expect(await typeIn('services', { spec: { ports: [{ protocol: 6 }] } })).toEqual([
        400,
        'ServicePort.spec.ports.protocol of type v1.Protocol',
      ])
      const volumes = [{ name: 'v', configMap: { name: 3 } }]
      expect(await typeIn('pods', { spec: { volumes } })).toEqual([
        400,
        'ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name of type string',
      ])
      expect(await typeIn('services', { spec: { ports: [{ targetPort: {} }] } })).toEqual([
        400,
        'ServicePort.spec.ports.targetPort of type int32',
      ])
      expect(await typeIn('endpointslices', { addressType: 4 })).toEqual([
        400,
        'EndpointSlice.addressType of type v1.AddressType',
      ])
    })

    it('say nothing where they are null', async () => {
      expect((await place.client.delete(place.path('configmaps', 'none'), 'null')).status).toBe(404)
      expect(await refusalOf(place.client.post(place.path('configmaps'), 'null'))).toEqual([
        422,
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ])
    })

    it('hold objects by one of two opposed finalizers', async () => {
      const finalizers = ['orphan', 'foregroundDeletion']
      expect(
        await refusalOf(place.client.post(place.path('configmaps'), { metadata: { name: 'x', finalizers } })),
      ).toEqual([
        422,
        'ConfigMap "x" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ])
    })

    it('may name finalizers without a domain for some kinds', async () => {
      const held = { metadata: { name: 'held', finalizers: ['a'] } }
      const policies = '/apis/admissionregistration.k8s.io/v1'
      const statusAt = async (path: string) => (await place.client.post(`${path}?dryRun=All`, held)).status
      expect(await statusAt(`/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases`)).toBe(201)
      expect(await statusAt(`${policies}/validatingwebhookconfigurations`)).toBe(201)
      expect(await statusAt(place.path('configmaps'))).toBe(422)
      const event = { ...held, involvedObject: { namespace: place.namespace } }
      expect((await place.client.post(`${place.path('events')}?dryRun=All`, event)).status).toBe(201)
    })

    it('of token reviews keep what they say of a user whom the token does not', async () => {
      const { status, body } = await place.client.post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'x' },
        status: { authenticated: true, user: { username: 'u' }, audiences: ['a'], error: 'none' },
      })
      expect([status, body.status]).toEqual([
        201,
        {
          user: { username: 'u' },
          audiences: ['a'],
          error: expect.stringContaining('invalid bearer token'),
        },
      ])
    })
  })
}
