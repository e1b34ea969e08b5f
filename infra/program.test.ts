import { expect, it } from 'vitest'
import { type Ran, runHere } from '../cli/program.fixtures.ts'
import { runDeployment } from './program.ts'

/** Runs the program; it must not come as far as CDK. */
const deployment = (...args: string[]): Promise<Ran> =>
  runHere(() => runDeployment(args, () => Promise.reject(new Error('CDK was called'))))

it.each([
  [['nothing'], "unknown command 'nothing'"],
  [['synth', '--nothing'], "unknown option '--nothing'"],
  [['deploy', '--tag'], 'argument missing'],
  [['deploy', '--cluster', 'eu-1=https://10.0.0.1'], 'a URL alone is not enough'],
])('says what is wrong with %j, and ends with 2', async (args, why) => {
  expect(await deployment(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
})

it('names the settings that may be set, and not what the deployment sets itself', async () => {
  const { code, stdout } = await deployment('deploy', '--help')
  expect(code).toBe(0)
  expect(stdout).toContain('relayShards')
  expect(stdout).not.toContain('stateDir')
})

it('has a flag for each key of an existing network', async () => {
  const { code, stdout } = await deployment('deploy', '--help')
  expect(code).toBe(0)
  for (const flag of ['--vpc-id <value>', '--subnet-ids <value>', '--functions-in-vpc '])
    expect(stdout).toContain(flag)
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
  const failed = await deployment(...args)
  // CDK adds lines of its own to what its app says, and ends with 1.
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringMatching(/^deployment: .*\n$/) })
  expect(failed.stderr.slice('deployment: '.length, -1)).toEqual(problem)
})
