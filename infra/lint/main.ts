import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { errorMessage } from '../../shared/values/index.ts'
import { projectContext } from '../project-context.ts'
import { checkWithCheckov } from './checkov.ts'
import { DEPLOYMENTS } from './deployments.ts'
import { pythonProgram, run } from './python-program.ts'

/** A version for everybody: the rules grow from one to the next. */
const CFN_LINT = '1.58.0'
/** Stated: CDK writes DependsOn where the order is clear already. */
const IGNORED = ['W3005']

const { checkov } = new Command('npm run lint:templates --')
  .description(
    'Synthesizes several deployments with CDK’s own validator and the rules of AWS Solutions, and checks the templates with cfn-lint, which is installed from PyPI into a folder of its own.',
  )
  .option('--checkov', 'check them with checkov as well, which takes some minutes and 300 MB to install')
  .parse()
  .opts<{ readonly checkov?: true }>()
const folder = await mkdtemp(join(tmpdir(), 'sliceflow-lint-'))
try {
  for (const [name, context] of Object.entries(DEPLOYMENTS))
    await run(process.execPath, [join(import.meta.dirname, '..', 'app.ts')], {
      environment: {
        CDK_CONTEXT_JSON: JSON.stringify({ ...projectContext(), ...context, stackName: name }),
        CDK_OUTDIR: join(folder, name),
      },
    })
  const templates = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith('.template.json'),
  )
  const paths = templates.map((path) => join(folder, path))
  const cfnLint = await pythonProgram('cfn-lint', CFN_LINT)
  const regions = ['--regions', 'eu-west-1', 'eu-central-1']
  await run(cfnLint, [...regions, '--ignore-checks', ...IGNORED, '--', ...paths])
  process.stdout.write(`${paths.length} templates without findings\n`)
  if (checkov === true) await checkWithCheckov(paths)
} catch (error) {
  process.stderr.write(`lint: ${errorMessage(error)}\n`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}
