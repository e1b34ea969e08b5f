import { expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { describeIn, PATIENCE, type Subject } from '../subject.ts'
import { constraints, isDenied, useScene } from './scene.ts'

/** Describes what validating policies do to requests. */
export function describeValidation(subject: Subject): void {
  describeIn(subject, 'policy-validation', (place) => {
    const scene = useScene(place)

    it('denies with a Status that names the policy, the binding and the expression', async () => {
      await scene.bind('validating', 'deny', {
        validations: [{ expression: "object.metadata.name != 'denied'" }],
      })
      const { status, body } = await scene.until(isDenied, 'denied')
      const text =
        "ValidatingAdmissionPolicy 'deny' with binding 'deny' denied request: failed expression: object.metadata.name != 'denied'"
      expect(status).toBe(422)
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `configmaps "denied" is forbidden: ${text}`,
        reason: 'Invalid',
        details: { name: 'denied', kind: 'configmaps', causes: [{ message: text }] },
        code: 422,
      })
      expect((await scene.attempt('other')).status).toBe(201)
    })

    it.each([['Forbidden', 403]])('answers the reason %s with %d', async (reason, code) => {
      const name = `reason-${code}`
      await scene.bind('validating', name, {
        validations: [{ expression: `object.metadata.name != '${name}'`, reason, message: 'no' }],
      })
      const { status, body } = await scene.until(isDenied, name)
      expect([status, body.reason, body.code]).toEqual([code, reason, code])
      expect(body.message).toContain('denied request: no')
    })

    it('uses the message of an expression, or the literal one if that fails', async () => {
      const expression = "!object.metadata.name.startsWith('message-')"
      await scene.bind('validating', 'messages', {
        validations: [
          {
            expression,
            message: 'written',
            messageExpression: "object.data.a + ' of ' + namespaceObject.metadata.name",
          },
        ],
      })
      const made = await scene.until(isDenied, 'message-a', { data: { a: 'made' } })
      expect(made.body.message).toContain('denied request: made of policy-validation')
      expect((await scene.attempt('message-b')).body.message).toContain('denied request: written')
      expect((await scene.attempt('message-c', { data: { a: 'two\nlines' } })).body.message).toContain(
        'denied request: written',
      )
    })

    it('warns where the binding says so, and lets pass', async () => {
      const validations = [{ expression: "object.metadata.name != 'warned'", message: 'careful' }]
      await scene.bind('validating', 'warn', { validations }, { validationActions: ['Warn', 'Audit'] })
      const { status, headers } = await scene.until(({ headers }) => headers.warning !== undefined, 'warned')
      expect(status).toBe(201)
      expect(headers.warning).toBe(
        "299 - \"Validation failed for ValidatingAdmissionPolicy 'warn' with binding 'warn': careful\"",
      )
    })

    it('denies where an expression fails, but for the failure policy Ignore', async () => {
      const validations = (name: string) => [
        { expression: `object.metadata.name != '${name}' || object.data.a == 'b'` },
      ]
      await scene.bind('validating', 'ignores', {
        failurePolicy: 'Ignore',
        validations: validations('ignored'),
      })
      await scene.bind('validating', 'fails', { validations: validations('failing') })
      const { status, body } = await scene.until(isDenied, 'failing')
      expect(status).toBe(422)
      expect(body.message).toContain(
        "denied request: expression 'object.metadata.name != 'failing' || object.data.a == 'b'' resulted in error: no such key: data",
      )
      expect((await scene.attempt('ignored')).status).toBe(201)
      expect((await scene.attempt('ignored', { data: { a: 'c' } })).status).toBe(422)
    })

    it('judges only what meets the match conditions', async () => {
      await scene.bind('validating', 'conditions', {
        matchConditions: [
          { name: 'named', expression: "object.metadata.name.startsWith('condition-')" },
          { name: 'labelled', expression: "object.metadata.labels['judge'] == 'yes'" },
        ],
        validations: [{ expression: 'false', message: 'judged' }],
      })
      const labels = { judge: 'yes' }
      await scene.until(isDenied, 'condition-a', { metadata: { labels } })
      expect((await scene.attempt('other', { metadata: { labels } })).status).toBe(201)
      expect((await scene.attempt('other')).status).toBe(201)
      expect((await scene.attempt('condition-b', { metadata: { labels: { judge: 'no' } } })).status).toBe(201)
      expect((await scene.attempt('condition-c')).body.message).toContain('no such key: labels')
    })

    it('evaluates variables that use each other', async () => {
      await scene.bind('validating', 'variables', {
        variables: [
          { name: 'named', expression: "object.metadata.name.startsWith('variable-')" },
          { name: 'count', expression: 'variables.named ? object.data.size() : 0' },
          { name: 'broken', expression: 'object.data.missing' },
        ],
        validations: [
          { expression: 'variables.count < 2', messageExpression: "'has ' + string(variables.count)" },
          { expression: "object.metadata.name != 'variable-broken' || variables.broken == ''" },
        ],
      })
      const { body } = await scene.until(isDenied, 'variable-a', { data: { a: '1', b: '2' } })
      expect(body.message).toContain('denied request: has 2')
      expect((await scene.attempt('variable-b', { data: { a: '1' } })).status).toBe(201)
      expect((await scene.attempt('variable-broken', { data: { a: '1' } })).body.message).toContain(
        'resulted in error: composited variable "broken" fails to evaluate: no such key: missing',
      )
    })

    it('says of numbers and times what Go says', async () => {
      await scene.bind('validating', 'texts', {
        matchConditions: [{ name: 'named', expression: "object.metadata.name.startsWith('text-')" }],
        validations: [
          { expression: "object.metadata.name != 'text-zero'", messageExpression: "'zero ' + string(-0.0)" },
          {
            expression:
              "object.metadata.name != 'text-late' || timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)",
          },
        ],
      })
      const { body } = await scene.until(isDenied, 'text-zero')
      expect(body.message).toContain('denied request: zero -0')
      expect((await scene.attempt('text-late')).body.message).toContain(
        'resulted in error: timestamp overflow',
      )
    })

    it('selects by labels of objects and by names, and leaves out what is excluded', async () => {
      const rule = (more: Json): Json => ({
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['*'],
        resources: ['configmaps'],
        ...more,
      })
      await scene.bind('validating', 'selected', {
        matchConstraints: constraints(place.namespace, {
          objectSelector: { matchExpressions: [{ key: 'select', operator: 'Exists' }] },
          resourceRules: [rule({ resourceNames: ['selected', 'excluded'] })],
          excludeResourceRules: [rule({ resourceNames: ['excluded'] })],
        }),
        validations: [{ expression: 'false', message: 'selected' }],
      })
      const selected = { metadata: { labels: { select: '' } } }
      await scene.until(isDenied, 'selected', selected)
      expect((await scene.attempt('selected')).status).toBe(201)
      expect((await scene.attempt('unnamed', selected)).status).toBe(201)
      expect((await scene.attempt('excluded', selected)).status).toBe(201)
    })

    it('sees the request, both objects and the namespace', async () => {
      await scene.bind('validating', 'request', {
        matchConditions: [{ name: 'named', expression: "request.name == 'seen'" }],
        validations: [
          {
            expression:
              "request.operation == 'CREATE' ? oldObject == null : oldObject.data.a == object.data.a",
            messageExpression: "oldObject.data.a + ' became ' + object.data.a",
          },
          { expression: "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'" },
          {
            expression:
              'request.namespace == namespaceObject.metadata.name && request.userInfo.groups.size() > 0',
          },
          { expression: "has(request.dryRun) && object.apiVersion == 'v1' && object.kind == 'ConfigMap'" },
          { expression: "object.data.a != 'marker'", message: 'marked' },
        ],
      })
      await scene.until(isDenied, 'seen', { data: { a: 'marker' } })
      const path = place.path('configmaps')
      const created = await place.client.post(path, { metadata: { name: 'seen' }, data: { a: 'first' } })
      expect([created.status, created.text]).toEqual([201, expect.anything()])
      const { status, body } = await place.client.patch(`${path}/seen`, { data: { a: 'second' } })
      expect([status, body.message]).toEqual([422, expect.stringContaining('first became second')])
      expect((await place.client.patch(`${path}/seen`, { metadata: { labels: { a: 'b' } } })).status).toBe(
        200,
      )
    })

    it('judges deletions, which have an old object alone', async () => {
      await scene.bind('validating', 'deletion', {
        matchConstraints: constraints(place.namespace, {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
          ],
        }),
        validations: [
          {
            expression: "object == null && oldObject.metadata.?labels.keep.orValue('') == ''",
            message: 'kept',
          },
        ],
      })
      const path = place.path('configmaps', 'kept')
      await place.create('configmaps', { metadata: { name: 'kept', labels: { keep: 'yes' } } })
      await expect
        .poll(async () => (await place.client.delete(`${path}?dryRun=All`)).status, PATIENCE)
        .toBe(422)
      await place.client.patch(path, { metadata: { labels: { keep: null } } })
      expect((await place.client.delete(path)).status).toBe(200)
    })

    it('asks the authorizer', async () => {
      await scene.bind('validating', 'authorizer', {
        matchConditions: [{ name: 'named', expression: "object.metadata.name == 'asked'" }],
        validations: [
          { expression: "authorizer.requestResource.check('create').allowed()", message: 'not the user' },
          {
            expression:
              "authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').namespace('default').check('get').allowed()",
            message: 'not the account',
          },
        ],
      })
      const { body } = await scene.until(isDenied, 'asked')
      expect(body.message).toContain('denied request: not the account')
    })

    it('stops expressions that cost too much', async () => {
      await scene.bind('validating', 'costly', {
        matchConditions: [{ name: 'named', expression: "object.metadata.name == 'costly'" }],
        validations: [
          { expression: 'lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0 && a - b < 1000))' },
        ],
      })
      const { body } = await scene.until(isDenied, 'costly')
      expect(body.message).toContain('operation cancelled: actual cost limit exceeded')
    })

    it('leaves alone what admission is made of, and questions', async () => {
      const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }
      await scene.bind('validating', 'everything', {
        matchConstraints: { resourceRules: [everything] },
        matchConditions: [{ name: 'named', expression: "request.?name.orValue('') == 'untouchable'" }],
        validations: [{ expression: 'false', message: 'everything' }],
      })
      await scene.until(isDenied, 'untouchable')
      const binding = {
        metadata: { name: 'untouchable' },
        spec: { policyName: 'nothing', validationActions: ['Deny'] },
      }
      const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All'
      expect((await place.client.post(path, binding)).status).toBe(201)
    })
  })
}
