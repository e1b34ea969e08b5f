import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { bundleAll } from './bundling/index.ts'
import { readContext } from './context.ts'
import { DeploymentError } from './settings/index.ts'
import { SliceflowStack } from './stack.ts'

/** The CDK app: `cdk` runs it with the context of its command line and of cdk.json. */
// What is not complete is not to be synthesized when the process ends: its findings would hide what is wrong.
const app = new App({ autoSynth: false })

try {
  const context = readContext(app.node.getAllContext())
  // A folder of its own, as others may synthesize at the same time; the assets are copied from it.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sliceflow-bundles-'))
  new SliceflowStack(app, context, await bundleAll(folder.path))
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  app.synth()
} catch (error) {
  if (!(error instanceof DeploymentError)) throw error
  process.stderr.write(`sliceflow: ${error.message}\n`)
  process.exitCode = 1
}
