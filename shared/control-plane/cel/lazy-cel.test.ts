import { beforeEach, expect, it } from 'vitest'
import { createRawClient, type Json, type RawClient } from '../../../test/support/raw-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createControlPlane } from '../index.ts'
import { LazyCel } from './lazy-cel.ts'

let dataDir: string

beforeEach(() => {
  dataDir = temporaryFolder()
})

/** Runs a server on the folder for as long as `use` takes. */
async function running(use: (client: RawClient) => Promise<void>): Promise<void> {
  const controlPlane = await createControlPlane({ apis: { crds: true }, storage: { dataDir } })
  await controlPlane.listen()
  const client = createRawClient(controlPlane.kubeconfig)
  try {
    await use(client)
  } finally {
    client.close()
    await controlPlane.close()
  }
}

it('CEL cannot be used before it has been loaded, and there is nothing to wait for afterwards', async () => {
  const lazy = new LazyCel()
  expect(() => lazy.cel).toThrow('CEL has not been loaded')
  await Promise.all([lazy.load(), lazy.load()])
  expect(lazy.load()).toBeUndefined()
  expect(lazy.cel.RuleCompiler).toBeTypeOf('function')
})

it('Rules and policies that were stored before count from the start', async () => {
  const widgets = '/apis/example.com/v1/namespaces/default/widgets'
  const schema = {
    type: 'object',
    properties: { size: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.size < 5', message: 'too large' }],
  }
  const admission = '/apis/admissionregistration.k8s.io/v1'
  const create = async (client: RawClient, path: string, object: Json): Promise<void> => {
    expect((await client.post(path, object)).status).toBe(201)
  }
  await running(async (client) => {
    await create(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    })
    const resourceRules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
    ]
    await create(client, `${admission}/validatingadmissionpolicies`, {
      metadata: { name: 'named' },
      spec: {
        matchConstraints: { resourceRules },
        validations: [{ expression: "object.metadata.name == 'a'" }],
      },
    })
    await create(client, `${admission}/validatingadmissionpolicybindings`, {
      metadata: { name: 'named' },
      spec: { policyName: 'named', validationActions: ['Deny'] },
    })
  })
  await running(async (client) => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, size: 9 }
    await expect.poll(async () => (await client.get(widgets)).status).toBe(200)
    expect((await client.post(widgets, widget)).body.message).toContain('too large')
    const configMaps = '/api/v1/namespaces/default/configmaps'
    expect((await client.post(configMaps, { metadata: { name: 'b' } })).body.message).toContain(
      "Policy 'named'",
    )
    await create(client, configMaps, { metadata: { name: 'a' } })
  })
})
