import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { KUBECONFIG_FIELDS } from '../../../shared/kubernetes/kubeconfig/kubeconfig-file.ts'
import { ensureBinaries, KUBERNETES_MINOR } from '../binaries.ts'
import type { Setup } from './row.ts'
import { ROWS } from './rows.ts'
import { openScene, type Scene, type Visit } from './scene.ts'

const ASK = fileURLToPath(new URL('./ask-main.ts', import.meta.url))
const TIMEOUT_SECONDS = 20

/** What came of a row with one of the programs. */
interface Outcome {
  readonly ends: 'reached' | 'refused'
  readonly visits: readonly Visit[]
  /** What proxies were asked for. */
  readonly asked: readonly string[]
  /** What an exec plugin was given. */
  readonly info: unknown
}

describe('what kubectl makes of a kubeconfig and of the environment, Sliceflow does, too', () => {
  let scene: Scene
  let kubectl: string
  let folder: string

  beforeAll(async () => {
    const binaries = await ensureBinaries()
    if (binaries.kubectl === undefined) throw new Error('there is no kubectl')
    kubectl = binaries.kubectl
    scene = await openScene()
  })
  afterAll(() => scene.close())

  it.each(ROWS)('$of: $name', async ({ ends, setup }) => {
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-'))
    const what = setup(scene, folder)
    await write(what)
    const flag = what.others === undefined ? join(folder, 'config') : undefined
    const theirs = await outcomeOf(kubectl, kubectlArguments(flag, what), what)
    const ours = await outcomeOf(execPath, [ASK, flag ?? '', String(TIMEOUT_SECONDS * 1000)], what)
    expect(theirs.outcome, theirs.output).toMatchObject({ ends })
    expect(ours.outcome, ours.output).toEqual(theirs.outcome)
    expect(ours.output).not.toContain('secret-')
    await rm(folder, { recursive: true })
  })

  it('has a row for every field that is read', () => {
    const fields = Object.entries(KUBECONFIG_FIELDS).flatMap(([type, names]) =>
      names.map((name) => `${type}.${name}`),
    )
    expect(fields.filter((field) => ROWS.every((row) => row.of !== field))).toEqual([])
  })

  async function write({ files = {}, others = {}, ...what }: Setup): Promise<void> {
    const texts = Object.entries(others).map(([name, config]) => [name, stringify(config)] as const)
    const all = [...Object.entries(files), ...texts, ['config', kubeconfig(what)] as const]
    for (const [name, text] of all) {
      const file = join(folder, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { mode: name.endsWith('plugin') ? 0o755 : 0o600 })
    }
  }

  function kubeconfig({
    cluster = {},
    user = { token: 'secret-1' },
    context = {},
    replace = [],
  }: Setup): string {
    const { a } = scene
    const own = {
      server: `https://127.0.0.1:${a.port}`,
      'certificate-authority-data': Buffer.from(a.authority.certificate).toString('base64'),
    }
    const text = stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { ...own, ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', ...context } }],
      'current-context': 'c',
    })
    return replace.reduce((all, [from, to]) => {
      if (!all.includes(from)) throw new Error(`the kubeconfig has no ${from}`)
      return all.replace(from, to)
    }, text)
  }

  async function outcomeOf(
    program: string,
    parameters: readonly string[],
    { env = {} }: Setup,
  ): Promise<{ readonly outcome: Outcome; readonly output: string }> {
    scene.visits.length = 0
    for (const { asked } of Object.values(scene.proxies)) asked.length = 0
    await rm(join(folder, 'info.json'), { force: true })
    const options = { cwd: tmpdir(), env: { PATH: process.env.PATH, HOME: folder, ...env } }
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
      const child = execFile(program, parameters, options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      )
      child.stdin?.end()
    })
    const info = await readFile(join(folder, 'info.json'), 'utf8').catch(() => 'null')
    const outcome: Outcome = {
      ends: code === 0 ? 'reached' : 'refused',
      // A server that refused was asked by both, but we ask again with fresh credentials.
      visits: scene.visits.slice(0, 1),
      asked: Object.values(scene.proxies).flatMap(({ asked }) => asked),
      info: JSON.parse(info),
    }
    return { outcome, output }
  }
})

/** Returns the path of the server that `get --raw` of kubectl 1.33 leaves out, as no other command does. */
function unheededPath({ cluster }: Setup): string {
  const { server } = (cluster ?? {}) as { readonly server?: string | null }
  if (KUBERNETES_MINOR !== '1.33' || !server || !URL.canParse(server)) return ''
  return new URL(server).pathname.replace(/\/$/, '')
}

const kubectlArguments = (flag: string | undefined, what: Setup): string[] => [
  ...(flag === undefined ? [] : ['--kubeconfig', flag]),
  ...['get', '--raw', `${unheededPath(what)}/version`, `--request-timeout=${TIMEOUT_SECONDS}s`],
]
