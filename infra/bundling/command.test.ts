import { execFile } from 'node:child_process'
import { copyFile, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { KubeConfig } from '@kubernetes/client-node'
import { Registry } from 'prom-client'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { startCommand } from '../../test/support/control-plane-process.ts'
import { createRawClient } from '../../test/support/raw-client.ts'
import { sharedFolder } from '../../test/support/temporary-folder.ts'
import { startTraceCollector } from '../../test/support/trace-collector.ts'
import { noticesOf } from '../packaging/index.ts'
import { bundleCommand } from './index.ts'

const KUBECONFIG = `
apiVersion: v1
kind: Config
current-context: eu-1
contexts: [{ name: eu-1, context: { cluster: eu-1, user: operator } }]
clusters: [{ name: eu-1, cluster: { server: "https://127.0.0.1:6443" } }]
users:
  - name: operator
    user:
      exec:
        interactiveMode: Never
        apiVersion: client.authentication.k8s.io/v1
        command: ${execPath}
        args: ["-p", 'JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token: "t0" } })']
`

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url))
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

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

const root = sharedFolder()
const folder = join(root, 'dist')
let main: string
let bundles: Awaited<ReturnType<typeof bundleCommand>>

beforeAll(async () => {
  main = join(folder, 'main.js')
  bundles = await bundleCommand(folder)
  // Beside it is what npm installs with it.
  await symlink(PACKAGES, join(root, 'node_modules'))
  await copyFile(MANIFEST, join(root, 'package.json'))
  // Long enough for a crowded machine.
}, 120_000)

it('bundles a KubeConfig that needs no package', async () => {
  const module: { KubeConfig: new () => KubeConfig } = await import(
    pathToFileURL(join(folder, 'chunks/kube-config.js')).href
  )
  const config = new module.KubeConfig()
  config.loadFromString(KUBECONFIG)
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = {}
  await config.applyToHTTPSOptions(options)
  expect(options.headers).toMatchObject({ Authorization: 'Bearer t0' })
})

it('leaves out client-node’s thousands of kinds', async () => {
  expect((await stat(join(folder, 'chunks/kube-config.js'))).size).toBeLessThan(2_500_000)
  const importing: string[] = []
  for (const file of await readdir(folder, { recursive: true }))
    if (
      file.endsWith('.js') &&
      /(from |import\()"@kubernetes\//.test(await readFile(join(folder, file), 'utf8'))
    )
      importing.push(file)
  expect(importing).toEqual([])
})

it('draws charts without the packages that it is made with', async () => {
  const { plot }: { plot: (options: object) => { outerHTML: string } } = await import(
    pathToFileURL(join(folder, 'chunks/plot.js')).href
  )
  const { parseHTML }: { parseHTML: (text: string) => { document: unknown } } = await import(
    pathToFileURL(join(folder, 'chunks/linkedom.js')).href
  )
  const { document } = parseHTML('<html></html>')
  expect(plot({ document, x: { domain: [0, 1] } }).outerHTML).toMatch(/^<svg .*<\/svg>$/s)
  const report = (await readdir(join(folder, 'chunks'))).filter((file) => /^report-.*\.js$/.test(file))
  expect(report).not.toEqual([])
  for (const file of await readdir(folder, { recursive: true }))
    if (file.endsWith('.js'))
      expect(await readFile(join(folder, file), 'utf8')).not.toMatch(
        /(from |import\()"(@observablehq|linkedom|d3)/,
      )
})

it('serves the console’s page from beside the part that serves it', async () => {
  const chunks = join(folder, 'chunks')
  const [part = ''] = (await readdir(chunks)).filter((file) => /^console-.*\.js$/.test(file))
  const { createConsole }: typeof import('../../cli/console/index.ts') = await import(
    pathToFileURL(join(chunks, part)).href
  )
  const page = await createConsole({
    clusters: [],
    settings: { mode: 'custom', managedBy: 'sliceflow.dev', shadow: false },
    registry: new Registry(),
    status: () => ({ version: 1, startedAt: '', clusters: [] }),
  })
  onTestFinished(() => page.stop())
  const url = await page.listen(0)
  for (const file of ['', ...(await readdir('cli/console/page'))])
    expect((await fetch(url + file)).status, file).toBe(200)
})

it('has the licences of the packages that it has parts of', async () => {
  expect(await noticesOf(bundles)).toMatch(/^linkedom \d.* \(ISC\)$/m)
})

it('loads nothing of Node’s own fetch for a server', async () => {
  const [part = ''] = (await readdir(join(folder, 'chunks'))).filter((file) => /^console-.*\.js$/.test(file))
  const loaded = 'process.moduleLoadList.filter((name) => name.includes("undici")).join()'
  const program = `await import('${pathToFileURL(join(folder, 'chunks', part))}'); console.log(${loaded})`
  const { stdout } = await promisify(execFile)(execPath, ['--input-type=module', '-e', program], { env: {} })
  expect(stdout).toBe('\n')
})

it('loads the console only where it is asked for', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const importing = (pattern: RegExp): number => texts.filter((text) => pattern.test(text)).length
  expect(importing(/import\("\.\/console-[^"]+"\)/)).toBe(2)
  expect(importing(/from "\.\/(chunks\/)?console-/)).toBe(0)
})

it('exports traces without the packages that it is made with', async () => {
  const chunk = pathToFileURL(join(folder, 'chunks/open-telemetry.js')).href
  const { createOpenTelemetry }: typeof import('../../shared/tracing/open-telemetry.ts') = await import(chunk)
  const { url, spans } = await startTraceCollector()
  const onProblem = (error: unknown): void => expect.unreachable(String(error))
  const tracing = createOpenTelemetry({ endpoint: url, share: 1, service: 'bundled', onProblem })
  tracing.start('one', {})?.end()
  await tracing.stop()
  expect(spans).toMatchObject([{ service: 'bundled', name: 'one' }])
  const importing: string[] = []
  for (const file of await readdir(folder, { recursive: true })) {
    const text = file.endsWith('.js') ? await readFile(join(folder, file), 'utf8') : ''
    expect([file, /(from |import\()"@opentelemetry/.test(text)]).toEqual([file, false])
    if (/import\("\.\/open-telemetry\.js"\)/.test(text)) importing.push(file)
  }
  expect(importing).toEqual([expect.stringMatching(/^chunks\//)])
})

it('the built command serves, with the parts that it loads when somebody needs them', async () => {
  const server = await startCommand(main, ['--resources', 'generic', '--data', join(root, 'data')])
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
  ).rejects.toMatchObject({ code: 2 })
})

it('the built command says which Node.js it needs to one that is older', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
  const args = ['--import', `data:text/javascript,${older}`, main, '--help']
  const run = promisify(execFile)(execPath, args, { env: {} })
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('needs Node.js 24') })
})
