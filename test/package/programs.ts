/**
 * Uses what a control plane loads only then: custom resources with CEL, OpenAPI, APIServices. As each of
 * these programs it prints one line of JSON.
 */
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

/** Uses of each library what it loads only then. CommonJS has no `await` outside of functions. */
export const BUNDLED = `
import { writeFileSync } from 'node:fs'
import { createControlPlane, encodeObject } from '@sliceflow/control-plane'
import { plan } from '@sliceflow/endpointslice'
import { rollingWorkload, simulate } from '@sliceflow/simulation'
import { loadClusters, loadSpec } from '@sliceflow/views'

const SPEC = 'controllers: [{ name: a, sources: [{ kind: A }], pipeline: [], target: { kind: B } }]'

async function main(): Promise<void> {
  const controlPlane = await createControlPlane()
  await controlPlane.listen()
  writeFileSync('bundled.kubeconfig', controlPlane.kubeconfig)
  const clusters = await loadClusters('bundled.kubeconfig')
  await controlPlane.close()
  const workload = rollingWorkload({ services: 1, endpoints: 2, nodes: 1 }, { seed: 1 })
  const { run } = await simulate({ workload, policy: 'in-tree', seed: 1 })
  console.log(
    JSON.stringify({
      clusters: clusters.length,
      controllers: loadSpec(SPEC).controllers.length,
      hasProtobuf: encodeObject({ apiVersion: 'v1', kind: 'Namespace' }) !== undefined,
      hasWrites: run.writes > 0,
      slices: plan({ service: {}, pods: [], nodes: [], slices: [] }).create.length,
    }),
  )
}
void main()
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
