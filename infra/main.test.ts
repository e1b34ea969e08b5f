import { exec, execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { projectContext } from './project-context.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const deployment = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args])

it('gives its process the exit code of the run', async () => {
  await expect(deployment('nothing')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'nothing'"),
  })
})

it('says nothing when its reader has seen enough', async () => {
  const piped = `"${process.execPath}" "${MAIN}" synth --help | head -n 1`
  const { stdout, stderr } = await promisify(exec)(piped)
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^Usage: npm run synth -- /),
    stderr: '',
  })
})

it('says what only the app finds out in one line, without findings about templates that are not complete', async () => {
  const folder = temporaryFolder()
  const context = {
    clusters: [{ name: 'eu-1', kind: 'eks', clusterName: 'eu-1', region: 'eu-west-1' }],
    viewsSpec: join(folder, 'none.yaml'),
    viewsEventBus: 'views',
  }
  const app = fileURLToPath(new URL('./app.ts', import.meta.url))
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_OUTDIR: join(folder, 'out') }
  await expect(promisify(execFile)(process.execPath, [app], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^sliceflow: views\.spec: cannot read .*none\.yaml: .*\n$/),
  })
}, 60_000)

it('sets every feature flag of CDK as it recommends', () => {
  const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json')
  expect(projectContext()).toMatchObject(recommended)
})
