import { exec, execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { projectContext } from './project-context.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const deployment = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args])

it.each([
  [['nothing'], "unknown command 'nothing'"],
  [['synth', '--nothing'], "unknown option '--nothing'"],
  [['deploy', '--tag'], 'argument missing'],
  [['deploy', '--cluster', 'eu-1=https://10.0.0.1'], 'a URL alone is not enough'],
])('says what is wrong with %j, and ends with 2', async (args, why) => {
  await expect(deployment(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
})

it('names the settings that may be set, and not what the deployment sets itself', async () => {
  const { stdout } = await deployment('deploy', '--help')
  expect(stdout).toContain('relayShards')
  expect(stdout).not.toContain('stateDir')
})

it('has a flag for each key of an existing network', async () => {
  const { stdout } = await deployment('deploy', '--help')
  for (const flag of ['--vpc-id <value>', '--subnet-ids <value>', '--functions-in-vpc '])
    expect(stdout).toContain(flag)
})

it('says nothing when its reader has seen enough', async () => {
  const piped = `"${process.execPath}" "${MAIN}" synth --help | head -n 1`
  const { stdout, stderr } = await promisify(exec)(piped)
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^Usage: deployment synth/),
    stderr: '',
  })
})

it.each([
  [
    ['deploy', '--cluster', 'eu-1', '--region', 'eu-west-1', '--set', 'batchSize=10000'],
    'batchSize: above 10 needs a batch window of at least 1 s (a rule of Lambda’s event source mappings for SQS)',
  ],
  [
    ['deploy', '--cluster', 'eu-1', '--region', 'eu-west-1', '--vpc-id', 'vpc-0123456789abcdef0'],
    'context vpcId: Sliceflow looks nothing up in AWS; give subnetIds as well, one for each zone, separated by commas',
  ],
  [['deploy'], expect.stringMatching(/^clusters: none is given; name one with --cluster/)],
])('says what cannot be deployed before CDK starts: %j', async (args, problem) => {
  const failed = await deployment(...args).catch((error: { code: number; stderr: string }) => error)
  // CDK adds lines of its own to what its app says, and ends with 1.
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringMatching(/^deployment: .*\n$/) })
  expect(failed.stderr.slice('deployment: '.length, -1)).toEqual(problem)
})

it('says what only the app finds out in one line, without findings about templates that are not complete', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sliceflow-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
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
