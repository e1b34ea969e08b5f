import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../../test/support/control-plane-process.ts'
import { createRawClient } from '../../test/support/raw-client.ts'
import { bundleCommand } from './index.ts'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url))
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

let folder: string
let main: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-command-'))
  await bundleCommand(join(folder, 'cli'))
  await symlink(PACKAGES, join(folder, 'node_modules'))
  await copyFile(MANIFEST, join(folder, 'package.json'))
  main = join(folder, 'cli', 'main.js')
  // Long enough for a crowded machine.
}, 60_000)
afterAll(() => rm(folder, { recursive: true }))

it('the built command serves, with the parts that it loads when somebody needs them', async () => {
  const server = await startCommand(main, ['--resources', 'generic', '--data', join(folder, 'data')])
  onTestFinished(() => void server.end('SIGKILL'))
  const client = createRawClient(server.kubeconfig)
  onTestFinished(() => client.close())

  const configMap = { metadata: { name: 'a' }, data: { key: 'value' } }
  expect((await client.post('/api/v1/namespaces/default/configmaps', configMap)).status).toBe(201)
  // Protobuf, regular expressions and CEL, OpenAPI.
  const accept = { accept: 'application/vnd.kubernetes.protobuf' }
  const encoded = await client.get('/api/v1/namespaces/default/configmaps/a', accept)
  expect(encoded.bytes.subarray(0, 4)).toEqual(Buffer.from('k8s\0'))
  expect((await client.post(CRDS, widgets)).status).toBe(201)
  expect((await client.get('/openapi/v3')).body.paths).toHaveProperty(['api/v1'])
  expect(server.stderr).toBe('')
  expect(await server.end('SIGTERM')).toBe(0)
})

it.skipIf(process.platform !== 'linux')(
  'a built server is one process, with bounds for its memory',
  async () => {
    const server = await startCommand(main, ['--resources', 'generic'])
    onTestFinished(() => void server.end('SIGKILL'))
    const command = (await readFile(`/proc/${server.pid}/cmdline`, 'utf8')).split('\0')
    expect(command).toContain('--max-semi-space-size=4')
    expect(command.filter((argument) => argument === main)).toHaveLength(1)
  },
)

it('the built command has every other command too, and the exit codes', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(execPath, [main, '--help'], { env: {} })
  expect(stdout).toContain('control-plane')
  expect(stdout).toContain('dead-letters')
  await expect(
    run(execPath, [main, 'control-plane', '--resources', 'all'], { env: {} }),
  ).rejects.toMatchObject({
    code: 2,
  })
})

const widgets = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'string', pattern: '^[a-z]+$', maxLength: 9 } },
                'x-kubernetes-validations': [{ rule: "!has(self.size) || self.size != 'none'" }],
              },
            },
          },
        },
      },
    ],
  },
}

it('the built command says which Node.js it needs to one that is older', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
  const args = ['--import', `data:text/javascript,${older}`, main, '--help']
  const run = promisify(execFile)(execPath, args, { env: {} })
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('needs Node.js 24') })
})
