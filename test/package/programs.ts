/** Programs that a user of each library writes; each prints one line of JSON. */
export const LIBRARIES = `
import { writeFileSync } from 'node:fs'
import { apply, type EndpointSlice, plan, type SliceClient } from '@sliceflow/endpointslice'
import { loadClusters } from '@sliceflow/control-plane'
import { lossWorkload, simulate } from '@sliceflow/simulation'
import { evaluateViews, loadSpec } from '@sliceflow/views'

const metadata = { name: 'web', namespace: 'shop', uid: 'u1' }
const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: '10.96.0.7', ports: [{ port: 80 }] } }
const pod = {
  metadata: { name: 'web-0', namespace: 'shop', uid: 'u2' },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
  status: { podIPs: [{ ip: '10.0.0.5' }] },
}
const state = { service, pods: [pod], nodes: [{ metadata: { name: 'n1' } }], slices: [] }
const planned = plan(state, { managedBy: 'controller.example.org' })
const client: SliceClient = {
  create: async (slice: EndpointSlice) => slice,
  update: async (slice) => slice,
  delete: async () => {},
}
const { created } = await apply(client, planned)

const spec = loadSpec(\`
controllers:
  - name: ports
    sources: [{ apiGroup: "", kind: Service }]
    pipeline:
      - "@project": { metadata: { name: $.metadata.name, namespace: $.metadata.namespace }, port: $.spec.ports }
      - "@unwind": $.port
      - "@project":
          metadata: { name: { "@concat": [web, "-", $.port.port] }, namespace: $.metadata.namespace }
    target: { kind: Port }
\`)
const kubeconfig = \`
apiVersion: v1
kind: Config
current-context: eu-1
contexts: [{ name: eu-1, context: { cluster: eu-1, user: operator } }]
clusters: [{ name: eu-1, cluster: { server: "https://127.0.0.1:6443" } }]
users: [{ name: operator, user: { token: t0 } }]
\`
writeFileSync('kubeconfig', kubeconfig)
const workload = lossWorkload({ services: 1, endpoints: 12, nodes: 3 }, { seed: 1, of: 'node' })
const { run } = await simulate({ workload, policy: 'in-tree', seed: 1 })
console.log(
  JSON.stringify({
    planned: planned.create.flatMap(({ endpoints }) => (endpoints ?? []).map(({ addresses }) => addresses)),
    written: created.map(({ metadata }) => metadata?.labels?.['kubernetes.io/service-name']),
    clusters: (await loadClusters('kubeconfig')).map(({ name, server }) => ({ name, server })),
    simulated: run.changes === run.events && run.writes > 0,
    views: evaluateViews(spec, [service]).views.map(({ metadata }) => metadata.name),
  }),
)
`

/** Uses what a control plane loads only then: custom resources with CEL, OpenAPI, APIServices. */
export const SERVER = `
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createControlPlane } from '@sliceflow/control-plane'

const controlPlane = await createControlPlane({ apis: { crds: true, apiServices: true }, authorization: 'RBAC' })
const { url } = await controlPlane.listen()
const fromKubeconfig = (name: string): Buffer =>
  Buffer.from(controlPlane.kubeconfig.match(new RegExp(name + '-data: (\\\\S+)'))?.[1] ?? '', 'base64')
const ca = fromKubeconfig('certificate-authority')
const cert = fromKubeconfig('client-certificate')
const key = fromKubeconfig('client-key')

async function ask(path: string, body?: object): Promise<number | undefined> {
  const method = body === undefined ? 'GET' : 'POST'
  const asked = request(url + path, { method, ca, cert, key, headers: { 'content-type': 'application/json' } })
  asked.end(body && JSON.stringify(body))
  const [answer]: IncomingMessage[] = await once(asked, 'response')
  answer?.resume()
  return answer?.statusCode
}

const size = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] }
const spec = { type: 'object', properties: { size } }
const created = await ask('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'disks.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'disks', kind: 'Disk' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } },
    ],
  },
})
const disks = '/apis/example.org/v1/namespaces/default/disks'
while ((await ask(disks)) === 404);
const refused = await ask(disks, {
  apiVersion: 'example.org/v1',
  kind: 'Disk',
  metadata: { name: 'none' },
  spec: { size: 0 },
})
const openapi = await ask('/openapi/v3/apis/example.org/v1')
const apiService = await ask('/apis/apiregistration.k8s.io/v1/apiservices', {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.elsewhere.example.org' },
  spec: {
    group: 'elsewhere.example.org',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { name: 'elsewhere', namespace: 'default' },
  },
})
await controlPlane.close()
console.log(JSON.stringify({ created, refused, openapi, apiService }))
`

/**
 * Runs the examples of the libraries, `example-….ts`, one after the other, beside the kubeconfig of a
 * control plane and a spec of views. Its last line is what failed.
 */
export const EXAMPLES = `
import { globSync, writeFileSync } from 'node:fs'
import { createControlPlane } from '@sliceflow/control-plane'

const controlPlane = await createControlPlane()
await controlPlane.listen()
writeFileSync('kubeconfig', controlPlane.kubeconfig)
writeFileSync(
  'names.yaml',
  \`controllers:
  - name: names
    sources: [{ apiGroup: "", kind: Service }]
    pipeline: [{ "@project": { metadata: { name: $.metadata.name, namespace: $.metadata.namespace } } }]
    target: { kind: Name }
\`,
)
const failed: string[] = []
for (const file of globSync('example-*.ts'))
  try {
    await import(\`./\${file}\`)
  } catch (error) {
    failed.push(\`\${file}: \${error}\`)
  }
await controlPlane.close()
console.log(JSON.stringify(failed))
`

/** An app of CDK as infra/README.md shows it, with what the package brings as assets. */
export const DEPLOYMENT = `
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Sliceflow } from 'sliceflow/infra'

const stack = new Stack(new App(), 'Own', { env: { region: 'eu-west-1' } })
new Sliceflow(stack, 'Sliceflow', {
  clusters: [{ name: 'eu-1', kind: 'eks', clusterName: 'eu-1', region: 'eu-west-1' }],
  settings: { maximumConcurrency: 20 },
})
const template = Template.fromStack(stack)
console.log(
  JSON.stringify({
    queues: Object.keys(template.findResources('AWS::SQS::Queue')).length,
    services: Object.keys(template.findResources('AWS::ECS::Service')).length,
  }),
)
`
