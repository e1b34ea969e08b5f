import { spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '../../shared/values/index.ts'
import { projectContext } from '../project-context.ts'
import { DEPLOYMENTS } from './deployments.ts'

/** A version for everybody: the rules grow from one to the next. */
const CFN_LINT = '1.58.0'
/** Stated: CDK writes DependsOn where the order is clear already. */
const IGNORED = ['W3005']

/**
 * Synthesizes several deployments with CDK's own validator and the rules of AWS Solutions, and checks the
 * templates with cfn-lint, which is installed from PyPI into a folder of its own.
 */
const folder = await mkdtemp(join(tmpdir(), 'sliceflow-lint-'))
try {
  for (const [name, context] of Object.entries(DEPLOYMENTS)) {
    const out = join(folder, name)
    await run(process.execPath, [join(import.meta.dirname, '..', 'app.ts')], {
      CDK_CONTEXT_JSON: JSON.stringify({ ...projectContext(), ...context, stackName: name }),
      CDK_OUTDIR: out,
    })
  }
  const templates = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith('.template.json'),
  )
  const paths = templates.map((path) => join(folder, path))
  await run(await cfnLint(), ['--regions', 'eu-west-1', '--ignore-checks', ...IGNORED, '--', ...paths], {})
  process.stdout.write(`${paths.length} templates without findings\n`)
} catch (error) {
  process.stderr.write(`lint: ${errorMessage(error)}\n`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}

async function cfnLint(): Promise<string> {
  const venv = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'sliceflow',
    `cfn-lint-${CFN_LINT}`,
  )
  const program = join(venv, 'bin', 'cfn-lint')
  const isThere = await access(program).then(
    () => true,
    () => false,
  )
  if (isThere) return program
  await mkdir(venv, { recursive: true })
  await run('python3', ['-m', 'venv', venv], {})
  await run(
    join(venv, 'bin', 'pip'),
    ['install', '--quiet', '--disable-pip-version-check', `cfn-lint==${CFN_LINT}`],
    {},
  )
  return program
}

async function run(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => reject(new Error(`cannot run ${program}: ${cause.message}`, { cause })))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`${program} failed with exit code ${code}`)
}
