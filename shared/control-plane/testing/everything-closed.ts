import { once } from 'node:events'
import { CONTROLLERS } from '../controllers/names.ts'
import { TestServer } from './test-client.ts'

/**
 * Uses all of a server, closes it while a webhook is being asked and a watch is open, and says so: the
 * process ends if nothing is left. The process that has started this one answers no webhook, and tells when
 * it is asked one.
 */
async function main([url = '', caBundle = '']: readonly string[]): Promise<void> {
  const server = await TestServer.start({
    apis: { crds: true, apiServices: true },
    authorization: 'RBAC',
    controllers: CONTROLLERS,
  })
  await useCustomResources(server)
  await usePolicies(server)
  const spec = {
    group: 'gone.example.com',
    version: 'v1',
    service: { namespace: 'default', name: 'gone' },
    groupPriorityMinimum: 1,
    versionPriority: 1,
  }
  await created(server, '/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.gone.example.com' },
    spec,
  })
  const events = await server.client.watch('/api/v1/configmaps?allowWatchBookmarks=true')
  await events.next()
  await callWebhook(server, { url, caBundle })
  await once(process, 'message')
  process.disconnect()
  await server[Symbol.asyncDispose]()
  process.stdout.write('closed\n')
}

async function useCustomResources(server: TestServer): Promise<void> {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        'x-kubernetes-validations': [{ rule: 'has(self.a)' }],
        properties: { a: { type: 'string' } },
      },
    },
  }
  await created(server, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  })
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { a: 'b' } }
  await created(server, '/apis/example.com/v1/namespaces/default/things', thing)
}

async function usePolicies(server: TestServer): Promise<void> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }]
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
  await created(server, policies, {
    metadata: { name: 'fine' },
    spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'true' }] },
  })
  await created(server, `${policies.slice(0, -3)}ybindings`, {
    metadata: { name: 'fine' },
    spec: { policyName: 'fine', validationActions: ['Deny'] },
  })
  await created(server, '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } })
}

async function callWebhook(server: TestServer, clientConfig: object): Promise<void> {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'], operations: ['CREATE'] }]
  const webhook = { name: 'silent.example.com', clientConfig, rules, timeoutSeconds: 30 }
  await created(server, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'silent' },
    webhooks: [{ ...webhook, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
  })
  // It is never answered: its connection is closed first.
  server.create('/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } }).catch(() => undefined)
}

async function created(server: TestServer, path: string, body: unknown): Promise<void> {
  const answer = await server.create(path, body)
  if (answer.status !== 201) throw new Error(`failed to create ${path}: ${answer.text}`)
}

await main(process.argv.slice(2))
