import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import { createRawClient } from '../../test/support/raw-client.ts'
import { sharedFolder } from '../../test/support/temporary-folder.ts'
import { bundleImage } from './index.ts'

const ROOT = new URL('../../', import.meta.url)
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PATTERNED = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: disks.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { plural: disks, kind: Disk }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { size: { type: string, pattern: "^[0-9]+G$" } } } }
`

describe('the folder of the image', () => {
  const folder = sharedFolder()

  beforeAll(async () => {
    await bundleImage(folder)
  }, 60_000)

  /** Runs the command away from this repository and its packages. */
  async function sliceflow(args: readonly string[], input = ''): Promise<string> {
    const command = promisify(execFile)(execPath, [join(folder, 'main.js'), ...args], {
      cwd: folder,
      env: {},
    })
    command.child.stdin?.end(input)
    return (await command).stdout
  }

  it('runs the command, of the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'))
    expect(await sliceflow(['--version'])).toBe(`${version}\n`)
  })

  it('prints the alerts', async () => {
    expect(await sliceflow(['alerts', '--job', 'mine'])).toContain('up{job="mine"}')
  })

  it('prints the ClusterRoles', async () => {
    const text = await readFile(new URL('infra/rbac/cluster-role.yaml', ROOT), 'utf8')
    expect(await sliceflow(['rbac'])).toBe(`---\n${text}`)
  })

  it('follows a cluster, with its embedded queue', async () => {
    const controlPlane = await createControlPlane()
    onTestFinished(() => controlPlane.close())
    await controlPlane.listen()
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, controlPlane.kubeconfig)
    const run = spawn(execPath, [join(folder, 'main.js'), 'run', '--kubeconfig', kubeconfig], { env: {} })
    onTestFinished(() => void run.kill('SIGKILL'))
    const [line] = await once(run.stdout, 'data')
    expect(String(line)).toMatch(/^ready: following 1 cluster: /)
    run.kill('SIGTERM')
    expect((await once(run, 'close'))[0]).toBe(0)
  })

  it('serves a control plane, with what that loads only when it is used', async () => {
    const kubeconfig = join(folder, 'served')
    const args = ['control-plane', '--kubeconfig-out', kubeconfig]
    const served = spawn(execPath, [join(folder, 'main.js'), ...args], { env: {} })
    onTestFinished(() => void served.kill('SIGKILL'))
    await once(served.stdout, 'data')
    const client = createRawClient(await readFile(kubeconfig, 'utf8'))
    onTestFinished(() => client.close())
    const yaml = { headers: { 'content-type': 'application/yaml' }, body: PATTERNED }
    expect((await client.send('POST', DEFINITIONS, yaml)).status).toBe(201)
    const protobuf = { accept: 'application/vnd.kubernetes.protobuf' }
    expect((await client.get('/api/v1/namespaces/default', protobuf)).status).toBe(200)
  })

  it('starts as nobody, by a base of one digest', async () => {
    const text = await readFile(join(folder, 'Containerfile'), 'utf8')
    expect(text).toMatch(/^FROM \S+@sha256:[0-9a-f]{64}$/m)
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
    expect(text).toMatch(/^ENTRYPOINT \["\/nodejs\/bin\/node", "\/opt\/sliceflow\/main\.js"\]$/m)
  })
})
