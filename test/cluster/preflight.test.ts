import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runPreflight } from '../../cli/commands/preflight/run.ts'
import { type PreflightReport, SUPPORTED_TEXT } from '../../cli/preflight/index.ts'
import { runHere, runSliceflow } from '../../cli/program.fixtures.ts'
import { IN_TREE_CONTROLLER } from '../../shared/endpointslice/index.ts'
import { type ClusterRole, permissionsOf } from '../end-to-end/cluster-role.ts'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { makeSlice } from '../support/world/index.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { applyRoles } from './roles.ts'
import { writeFileForTest } from './run-command.ts'
import { untilServerGoesBy } from './taken-permission.ts'

const TOKEN = 'sliceflow-token'
/** A server that is frozen says nothing, however long one waits. */
const IMPATIENCE_MS = 500
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'

let server: ApiServer
let admin: RawClient
let user: RawClient
let roles: readonly ClusterRole[]

beforeAll(async () => {
  server = await startApiServer({ name: 'real', users: [{ token: TOKEN, user: 'sliceflow' }] })
  admin = createRawClient(server.kubeconfig.text)
  user = createRawClient(server.kubeconfigFor(TOKEN))
  roles = await applyRoles(admin, ['cluster-role.yaml', 'preflight.yaml'])
  for (const role of roles.filter(({ metadata }) => metadata.name !== 'sliceflow-view-publisher'))
    for (const permission of permissionsOf(role)) await untilServerGoesBy(user, permission, true)
})
afterAll(async () => {
  for (const client of [admin, user]) client?.close()
  await server?.stop()
})

async function check(kubeconfig: string, ...flags: readonly string[]) {
  const file = await writeFileForTest('kubeconfig', kubeconfig)
  const { code, stdout } = await runSliceflow('preflight', '--kubeconfig', file, '-o', 'json', ...flags)
  const [cluster] = (JSON.parse(stdout) as PreflightReport).clusters
  return { code, checks: cluster?.checks ?? [] }
}

describe('sliceflow preflight on kube-apiserver', () => {
  it('finds nothing where the roles of infra/rbac are granted', async () => {
    const { code, checks } = await check(server.kubeconfigFor(TOKEN))
    expect(checks.filter(({ mark }) => mark !== 'ok')).toEqual([])
    expect(code).toBe(0)
    const reasons = Object.fromEntries(checks.map(({ name, reason }) => [name, reason]))
    expect(reasons.version).toMatch(
      new RegExp(`^v1\\.\\d+\\.\\d+; Sliceflow is tested with ${SUPPORTED_TEXT}$`),
    )
    expect(reasons.user).toMatch(/^sliceflow of .*system:authenticated/)
    expect(reasons.priority).toBe('our requests are of the FlowSchema global-default')
  })

  it('names the in-tree controller that writes', async () => {
    const slice = makeSlice({ name: 'web-1', managedBy: IN_TREE_CONTROLLER })
    const headers = { 'user-agent': 'kube-controller-manager/v1.36.4' }
    const { status, text } = await admin.send('POST', SLICES, { body: slice, headers })
    expect(status, text).toBe(201)
    const { code, checks } = await check(server.kubeconfigFor(TOKEN), '--mode', 'replace')
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'in-tree controller',
        mark: 'failure',
        reason: expect.stringMatching(/^it is on: kube-controller-manager wrote slice default\/web-1/),
      }),
    )
    expect(code).toBe(1)
  })

  it('names a server that hangs', async () => {
    await server.kill('SIGSTOP')
    onTestFinished(() => server.kill('SIGCONT'))
    const file = await writeFileForTest('kubeconfig', server.kubeconfigFor(TOKEN))
    const flags = {
      fleetNamespaces: '*',
      fleetRole: [],
      fleetId: [],
      fleetProperty: [],
      canary: false,
      ignoreWarnings: false,
    }
    const options = { ...flags, kubeconfig: [file], context: [], output: 'json' as const }
    const { code, stdout } = await runHere(async () => {
      await runPreflight(options, IMPATIENCE_MS)
      return undefined
    })
    const [cluster] = (JSON.parse(stdout) as PreflightReport).clusters
    expect(cluster?.checks[0]).toMatchObject({
      mark: 'failure',
      reason: expect.stringMatching(/^the server hangs/),
    })
    expect(code).toBe(1)
  })
})
