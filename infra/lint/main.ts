import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '../../shared/values/index.ts'
import { projectContext } from '../project-context.ts'
import { cfnLintProgram, run } from './cfn-lint.ts'
import { DEPLOYMENTS } from './deployments.ts'

/** Stated: CDK writes DependsOn where the order is clear already. */
const IGNORED = ['W3005']

// Synthesizes several deployments with CDK's own validator and the rules of AWS Solutions, and checks the
// templates with cfn-lint, which is installed from PyPI into a folder of its own.
const folder = await mkdtemp(join(tmpdir(), 'sliceflow-lint-'))
try {
  for (const [name, context] of Object.entries(DEPLOYMENTS))
    run(process.execPath, [join(import.meta.dirname, '..', 'app.ts')], {
      CDK_CONTEXT_JSON: JSON.stringify({ ...projectContext(), ...context, stackName: name }),
      CDK_OUTDIR: join(folder, name),
    })
  const templates = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith('.template.json'),
  )
  const paths = templates.map((path) => join(folder, path))
  const cfnLint = await cfnLintProgram()
  const regions = ['--regions', 'eu-west-1', 'eu-central-1']
  run(cfnLint, [...regions, '--ignore-checks', ...IGNORED, '--', ...paths])
  process.stdout.write(`${paths.length} templates without findings\n`)
} catch (error) {
  process.stderr.write(`lint: ${errorMessage(error)}\n`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}
