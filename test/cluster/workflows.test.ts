import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildGoProgram, isExecutable, programCache } from '../support/go-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GO_MODULE = fileURLToPath(new URL('./actionlint', import.meta.url))
const FOLDER = '.github/workflows'
const run = promisify(execFile)

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly uses?: string; readonly steps?: readonly Step[] }>>
}

let actionlint: string
const files = (await readdir(join(ROOT, FOLDER))).map((file) => join(FOLDER, file))
const workflows = await Promise.all(
  files.map(
    async (file): Promise<[string, Workflow]> => [file, parse(await readFile(join(ROOT, file), 'utf8'))],
  ),
)
const steps = workflows.flatMap(([, { jobs }]) => Object.values(jobs).flatMap((job) => job.steps ?? []))

beforeAll(async () => {
  const sums = await readFile(join(GO_MODULE, 'go.sum'))
  const key = createHash('sha256').update(sums).digest('hex').slice(0, 12)
  actionlint = programCache('actionlint', key)
  if (!(await isExecutable(actionlint)))
    await buildGoProgram({
      module: GO_MODULE,
      target: 'github.com/rhysd/actionlint/cmd/actionlint',
      path: actionlint,
    })
})

describe('the workflows', () => {
  it('are right in the view of actionlint', async () => {
    expect(files.length).toBeGreaterThan(1)
    await expect(run(actionlint, ['-no-color', ...files], { cwd: ROOT })).resolves.toMatchObject({
      stdout: '',
    })
  })

  it('are refused by actionlint where they are wrong', async () => {
    const broken = run(actionlint, ['-no-color', '-stdin-filename', 'a.yml', '-'], { cwd: ROOT })
    broken.child.stdin?.end(
      'on: push\njobs: { a: { runs-on: ubuntu-24.04, needs: b, steps: [{ run: ls }] } }\n',
    )
    await expect(broken).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('"b"') })
  })

  it('name each action by its commit, whatever its tags become', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    expect(actions.length).toBeGreaterThan(5)
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  })

  it('may read, but for what a job asks for', () => {
    for (const [file, { permissions }] of workflows) expect(permissions, file).toEqual({ contents: 'read' })
  })

  it('run scripts that there are', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const named = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run (?:-s )?(\S+)/g)].map(([, name = '']) => name),
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  it('check what .ci/run checks', async () => {
    const script = await readFile(join(ROOT, '.ci/run'), 'utf8')
    const suites = [...script.matchAll(/^suite (\S+)$/gm)].map(([, name = '']) => name)
    const others = /^checks=\((.+)\)$/m.exec(script)?.[1]?.split(' ') ?? []
    const checks = [...suites, ...others]
    const commands = new Set(steps.map(({ run }) => run))
    const missing = checks.filter((name) => !commands.has(name === 'test' ? 'npm test' : `npm run ${name}`))
    expect(checks.length).toBeGreaterThan(5)
    expect(missing).toEqual([])
  })
})
