import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startViewServer, type ViewServer } from '../../cli/commands/views/server.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { evaluateViews, loadSpecFile } from '../../shared/views/index.ts'
import { ensureBinaries } from './binaries.ts'

const SPEC = new URL('../../examples/views/endpoint-lists.yaml', import.meta.url).pathname

describe('kubectl on served views', () => {
  let server: ViewServer
  let folder: string
  let kubectl: (...args: readonly string[]) => Promise<string>

  beforeAll(async () => {
    const { kubectl: program } = await ensureBinaries()
    if (program === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl')
    const spec = await loadSpecFile(SPEC)
    server = await startViewServer(spec, 0, SILENT_LOG)
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-views-'))
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 })
    kubectl = async (...args) => {
      const env = { ...process.env, HOME: folder }
      const { stdout } = await promisify(execFile)(program, ['--kubeconfig', kubeconfig, ...args], { env })
      return stdout
    }
    const labels = { 'kubernetes.io/service-name': 'web' }
    const annotations = { 'dcontroller.io/endpointslice-controller-enabled': '' }
    const { views } = evaluateViews(spec, [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: 'shop', annotations },
        spec: { type: 'ClusterIP', ports: [{ protocol: 'TCP', port: 80, targetPort: 8080 }] },
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'web-1', namespace: 'shop', labels },
        endpoints: ['10.0.0.1', '10.0.0.2'].map((address) => ({
          addresses: [address],
          conditions: { ready: true },
        })),
      },
    ])
    server.apply(views.map((object) => ({ type: 'Added', object })))
    await server.settled()
  })
  afterAll(async () => {
    await server?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it.each(['endpointviews', 'endpointview', 'endpointviews.op.view.dcontroller.io'])(
    'gets %s with columns that say what they are',
    async (resource) => {
      const table = await kubectl('get', resource, '--all-namespaces')
      const [heading = '', row = '', ...more] = table.trim().split('\n')
      const columns = 'NAMESPACE NAME SERVICE-NAME TYPE PROTOCOL PORT TARGET-PORT ADDRESSES AGE'
      expect(heading.split(/\s+/).join(' ')).toBe(columns)
      expect(row).toMatch(
        /^shop\s+web-TCP-80\s+web\s+ClusterIP\s+TCP\s+80\s+8080\s+10\.0\.0\.1,10\.0\.0\.2\s+\d\w*$/,
      )
      expect(more).toEqual([])
    },
  )

  it('reads one with all that is in it', async () => {
    const path = '-o=jsonpath={.kind} {.spec.addresses[1]}'
    expect(await kubectl('get', 'endpointview', 'web-TCP-80', '--namespace', 'shop', path)).toBe(
      'EndpointView 10.0.0.2',
    )
  })

  it.each([
    ['delete', ['delete', 'endpointview', 'web-TCP-80']],
    ['patch', ['patch', 'endpointview', 'web-TCP-80', '--type=merge', '--patch={"spec":{}}']],
    ['create', ['create', 'namespace', 'mine']],
  ])('may not %s', async (verb, args) => {
    await expect(kubectl('--namespace', 'shop', ...args)).rejects.toThrow(
      new RegExp(`Forbidden.*cannot ${verb} resource`),
    )
  })
})
