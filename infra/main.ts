import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { endWithReader } from '../cli/index.ts'
import { type CdkCall, runDeployment } from './program.ts'
import { ROOT } from './project-context.ts'

endWithReader()
const code = await runDeployment(process.argv.slice(2), callCdk)
if (code !== undefined) process.exitCode = code

/** Runs CDK's command; its exit code is ours. */
async function callCdk({ command, context, region, isExample, more }: CdkCall): Promise<void> {
  const quiet = command === 'synth' ? ['--quiet', '--no-lookups'] : []
  const app = `${JSON.stringify(process.execPath)} infra/app.ts`
  const args = [
    createRequire(import.meta.url).resolve('aws-cdk/bin/cdk'),
    command,
    '--app',
    app,
    ...quiet,
    ...context.flatMap((pair) => ['--context', pair]),
    ...more,
  ]
  if (command === 'synth')
    process.stderr.write('Bundling the code, then writing the templates: some ten seconds.\n')
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      ...(region !== undefined && { AWS_REGION: region }),
    },
  })
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve(status ?? 1))
  })
  if (code === 0 && command === 'synth')
    process.stderr.write(
      `The templates are in infra/cdk.out${isExample ? ', of an example: name your clusters with --cluster' : ''}.\n`,
    )
  process.exitCode = code
}
