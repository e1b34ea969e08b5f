import { expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { accepted, describeIn, type Subject } from '../subject.ts'
import { isChanged, isDenied, useScene } from './scene.ts'

/** Describes what mutating policies do to requests. */
export function describeMutation(subject: Subject): void {
  describeIn(subject, 'policy-mutation', (place) => {
    const scene = useScene(place)
    const named = (prefix: string): Json[] => [
      { name: 'named', expression: `object.metadata.name.startsWith('${prefix}-')` },
    ]
    const apply = (expression: string): Json => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression },
    })
    const patch = (expression: string): Json => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

    it('lays configurations over an object, one after the other', async () => {
      await scene.bind('mutating', 'apply', {
        matchConditions: named('apply'),
        variables: [{ name: 'who', expression: "request.userInfo.username.split(':')[0]" }],
        mutations: [
          apply("Object{metadata: Object.metadata{labels: {'first': 'yes', 'by': variables.who}}}"),
          apply("Object{data: {'changed': object.metadata.labels['first']}}"),
        ],
      })
      const { body } = await scene.until(isChanged, 'apply-a', {
        metadata: { labels: { own: 'a' } },
        data: { b: 'c' },
      })
      expect(body.data).toEqual({ b: 'c', changed: 'yes' })
      expect(Object.keys(body.metadata.labels).sort()).toEqual(['by', 'first', 'own'])
      expect((await scene.attempt('other')).body.data).toBeUndefined()
    })

    it('patches an object, with escaped keys and values of its own', async () => {
      await scene.bind('mutating', 'patch', {
        matchConditions: named('patch'),
        mutations: [
          patch(`[
            JSONPatch{op: "test", path: "/data/a", value: "b"},
            JSONPatch{op: "add", path: "/data/changed", value: object.data.a + "!"},
            JSONPatch{op: "add", path: "/metadata/labels", value: {"x": "y"}},
            JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/key"), value: "z"},
            JSONPatch{op: "copy", from: "/data/a", path: "/data/copy"},
            JSONPatch{op: "remove", path: "/data/a"}
          ]`),
        ],
      })
      const { body } = await scene.until(isChanged, 'patch-a', { data: { a: 'b' } })
      expect(body.data).toEqual({ changed: 'b!', copy: 'b' })
      expect(body.metadata.labels).toMatchObject({ x: 'y' })
      expect((await scene.attempt('patch-b', { data: { a: 'c' } })).body.data).toEqual({ a: 'c' })
    })

    it('has mutations validated, and stores them', async () => {
      await scene.bind('validating', 'after', {
        matchConditions: named('stored'),
        validations: [{ expression: "object.data.changed == 'right'", message: 'seen after mutation' }],
      })
      await scene.bind('mutating', 'before', {
        matchConditions: named('stored'),
        mutations: [
          apply("Object{data: {'changed': object.metadata.name == 'stored-a' ? 'right' : 'wrong'}}"),
        ],
      })
      await scene.until(isChanged, 'stored-a')
      await scene.until(({ text }) => text.includes('seen after mutation'), 'stored-b')
      const path = place.path('configmaps')
      expect(accepted(await place.client.post(path, { metadata: { name: 'stored-a' } })).data).toEqual({
        changed: 'right',
      })
      expect((await place.client.get(`${path}/stored-a`)).body.data).toEqual({ changed: 'right' })
    })

    it('asks policies a second time where a later one has changed the object', async () => {
      const append = (letter: string): Json =>
        apply(`Object{data: {'changed': object.?data.?changed.orValue('') + '${letter}'}}`)
      const spec = { matchConditions: named('again') }
      await scene.bind('mutating', 'again-1', {
        ...spec,
        reinvocationPolicy: 'IfNeeded',
        mutations: [append('a')],
      })
      await scene.bind('mutating', 'again-2', { ...spec, mutations: [append('b')] })
      const { body } = await scene.until((response) => response.body.data?.changed?.length === 3, 'again-x')
      // kube-apiserver asks policies in no order, ours by their names.
      expect(['aba', 'baa']).toContain(body.data.changed)
    })

    it('reads parameters', async () => {
      await place.create('secrets', { metadata: { name: 'values' }, stringData: { value: 'given' } })
      await scene.bind(
        'mutating',
        'with-params',
        {
          // kube-apiserver reads a kind no more once the last policy that asked for it is gone.
          paramKind: { apiVersion: 'v1', kind: 'Secret' },
          matchConditions: named('params'),
          mutations: [apply("Object{data: {'changed': params.data.value}}")],
        },
        { paramRef: { name: 'values', parameterNotFoundAction: 'Deny' } },
      )
      expect((await scene.until(isChanged, 'params-a')).body.data).toEqual({ changed: 'Z2l2ZW4=' })
    })

    it('refuses the request where a mutation fails, but for the failure policy Ignore', async () => {
      const mutations = [apply("Object{data: {'changed': object.data.missing}}")]
      await scene.bind('mutating', 'ignored', {
        failurePolicy: 'Ignore',
        matchConditions: named('ignored'),
        mutations,
      })
      await scene.bind('mutating', 'failed', { matchConditions: named('failed'), mutations })
      const { status, body } = await scene.until(isDenied, 'failed-a', { data: { a: 'b' } })
      const text =
        "policy 'failed' with binding 'failed' denied request: expression 'Object{data: {'changed': object.data.missing}}' resulted in error: no such key: missing"
      expect([status, body.code, body.reason, body.message]).toEqual([403, 403, 'Invalid', text])
      expect(body.details).toEqual({ name: 'failed-a', kind: 'configmaps', causes: [{ message: text }] })
      expect((await scene.attempt('ignored-a', { data: { a: 'b' } })).status).toBe(201)
    })

    it.each([
      ['an unknown field', "Object{bogus: 'x'}", '.bogus: field not declared in schema'],
      [
        'types that are named wrongly',
        "Object{metadata: Object.spec{labels: {'a': 'b'}}}",
        'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
      ],
      [
        'a list that is replaced as a whole',
        "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'a', name: 'b', kind: 'c', apiVersion: 'd'}]}}",
        'may not mutate atomic arrays, maps or structs: .metadata.ownerReferences',
      ],
    ])('refuses %s', async (_what, expression, why) => {
      const name = `bad-${Buffer.from(expression).toString('hex').slice(0, 30)}`.replace(/-$/, '')
      const key = `key${expression.length}`
      await scene.bind('mutating', `${name}-${expression.length}`, {
        matchConditions: [{ name: 'named', expression: `object.metadata.name == '${key}'` }],
        mutations: [apply(expression)],
      })
      expect((await scene.until(isDenied, key)).body.message).toContain(why)
    })

    it.each<[string, string, number, string]>([
      [
        'remove',
        '[JSONPatch{op: "remove", path: "/data/nope"}]',
        403,
        "JSON Patch: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
      ],
      [
        'kind',
        '[JSONPatch{op: "replace", path: "/kind", value: "Nope"}]',
        500,
        'Internal error occurred: no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
      ],
    ])('refuses a patch that does not apply: %s', async (what, expression, code, why) => {
      const name = `misfit-${what}`
      await scene.bind('mutating', name, {
        matchConditions: [{ name: 'named', expression: `object.metadata.name == '${name}'` }],
        mutations: [patch(expression)],
      })
      const { status, body } = await scene.until(isDenied, name, { data: { a: 'b' } })
      expect(status).toBe(code)
      expect(body.message).toContain(why)
    })

    it('makes no text of null', async () => {
      await scene.bind('mutating', 'null', {
        matchConditions: [{ name: 'named', expression: "object.metadata.name == 'null'" }],
        mutations: [apply("Object{data: {'a': null}}")],
      })
      expect((await scene.until(isDenied, 'null')).body.message).toContain(
        '.data.a: expected string, got &value.valueUnstructured{Value:0}',
      )
    })
  })
}
