import { execFile, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { flatten, nodesOf } from './commands/completion/scripts.ts'
import { COMMANDS } from './commands/index.ts'
import { createProgram } from './create-program.ts'
import { runSliceflow } from './program.fixtures.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url))
const SPEC = fileURLToPath(new URL('../examples/views/endpoints.yaml', import.meta.url))
const runProcess = (...args: readonly string[]) => promisify(execFile)(process.execPath, [MAIN, ...args])

it('prints its version', async () => {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
  expect((await runSliceflow('--version')).stdout).toBe(`${version}\n`)
})

it('prints which versions of Kubernetes it supports, and what runs it', async () => {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8'))
  const { stdout } = await runSliceflow('version')
  const { node } = process.versions
  expect(stdout).toBe(`sliceflow ${version}\nKubernetes 1.33 to 1.37 (supported)\nNode.js ${node}\n`)
  const kubernetes = { oldest: '1.33', newest: '1.37' }
  const report = { version: 1, sliceflow: version, kubernetes, node }
  expect(JSON.parse((await runSliceflow('version', '-o', 'json')).stdout)).toEqual(report)
  expect(parse((await runSliceflow('version', '-o', 'yaml')).stdout)).toEqual(report)
})

it('gives its process the exit code of the run', async () => {
  await expect(runProcess('nothing')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'nothing'"),
  })
})

it.each([
  [
    'standard output',
    ['version'],
    { code: 1, stderr: /^sliceflow: failed to write to standard output: .*\n$/ },
  ],
  ['its errors', ['nothing'], { code: 2, stderr: /^$/ }],
] as const)(
  'says in a line that %s cannot be written, or ends as it would otherwise',
  async (what, args, end) => {
    const readOnly = openSync(MAIN, 'r')
    const [out, err] = what === 'its errors' ? (['ignore', readOnly] as const) : ([readOnly, 'pipe'] as const)
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { stdio: ['ignore', out, err] })
    closeSync(readOnly)
    expect({ code: status, stderr: String(stderr ?? '') }).toEqual({
      ...end,
      stderr: expect.stringMatching(end.stderr),
    })
  },
)

it.each([
  [['explain', '-n', 'a', 'b/web'], '-n a and b/web name two namespaces: give a/web, or b/web without -n'],
  [['release', '-n', 'a', 'b/web'], '-n a and b/web name two namespaces'],
  [['history', 'eu-1', 'b/web', '-n', 'a', '--from', 'none'], '-n a and b/web name two namespaces'],
  [['explain', '-n', 'A B', 'web'], '--namespace: "A B" is not the name of a namespace'],
  [['status', '-n', 'a', '-A'], 'cannot be used with'],
  [['plan', '-n', 'a'], '--namespace is about a cluster set: give --fleet as well'],
  [['views', '--spec', SPEC], 'views: name the source of changes'],
  [['views', '--spec', SPEC, '--events', '-', '--context', 'eu-1'], 'cannot be used with'],
  [['views', '--spec', SPEC, '--graph', 'dot', '--explain', 'shop/web'], 'cannot be used with'],
  [['views', '--spec', SPEC, '--events', '-', '--kubeconfig-out', 'file'], '--kubeconfig-out needs --serve'],
  [['views', '--spec', SPEC, '--events', '-', '--operator-name', 'A B'], 'It must be a DNS name'],
  [
    ['simulate', '--workload', 'rolling', '--surge', '0', '--unavailable', '0'],
    'the nearest are surge 0.001',
  ],
  [['simulate', '--mean-change', '10'], 'the nearest are recovery 10, or meanChange 30'],
  [['simulate', '--preset', 'kep-small', '--coalescing-window', '0,1'], 'such as --coalescing-window 0'],
  [['simulate', '--services', '1000000'], 'the nearest are --services 2000'],
  [['cost', '--clusters', '3', '--pods', '9'], "required option '--changes-per-second <n>' not specified"],
  [['rbac', 'all'], "too many arguments for 'rbac'"],
  [['control-plane', '--service-cluster-ip-range', '10.0.0.0/32'], '--service-cluster-ip-range: '],
])('says what is wrong with %j, and ends with 2', async (args, why) => {
  expect(await runSliceflow(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
})

it('groups the flags of run by what they are about', async () => {
  const { code, stdout } = await runSliceflow('run', '--help')
  expect(code).toBe(0)
  expect(stdout.match(/^\S.*:$/gm)).toEqual(expect.arrayContaining(['Options:', 'Guards:', 'Relay:']))
})

const isWhole = (line: string): boolean => /^ *\$ echo '|^ *\S+$/.test(line)

it.each(flatten(nodesOf(await createProgram(COMMANDS))).map(({ path }) => path))(
  'fits the help of "%s" into 80 columns of a pipe, but for what has no place to break',
  async (command) => {
    const { code, stdout } = await runSliceflow(...command.split(' ').filter(Boolean), '--help')
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.length > 80 && !isWhole(line))).toEqual([])
  },
)
