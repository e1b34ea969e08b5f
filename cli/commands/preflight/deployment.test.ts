import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { emptyBundles, SECRET, stackOf } from '../../../infra/constructs/template.fixtures.ts'
import { serveAws } from '../../../test/support/stub-aws.ts'
import { findInstallation } from '../../package.ts'
import { type PreflightReport, readRoleGroup } from '../../preflight/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'
import { type GuardedCluster, startGuardedCluster } from './preflight.fixtures.ts'

const bundles = emptyBundles()
let cluster: GuardedCluster
/** Text of the secret that leads to the cluster. */
let secret: string
let template: string

beforeAll(async () => {
  cluster = await startGuardedCluster('edge')
  const { folder } = findInstallation()
  const groups = await Promise.all(
    [{ readOnly: true }, { preflight: true }].map((one) => readRoleGroup(folder, one)),
  )
  await cluster.grant(groups.flatMap(({ permissions }) => permissions))
  const { clusters, users } = parse(cluster.text)
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  secret = JSON.stringify({ server, ca, token: users[0].user.token })
  const stack = stackOf({ bundles, clusters: [SECRET], settings: { shadow: true, mode: 'replace' } })
  template = JSON.stringify(Template.fromStack(stack).toJSON())
})
afterAll(() => cluster.stop())

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Serves CloudFormation with one stack, and Secrets Manager with one secret. */
const serveStack = (body: string): Promise<void> =>
  serveAws(['CLOUDFORMATION', 'SECRETS_MANAGER'], async (request, response) => {
    const asked = Buffer.concat(await request.toArray()).toString()
    if (request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue')
      return void response
        .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify({ ARN: SECRET.secretArn, Name: 'edge', SecretString: secret }))
    const isKnown = new URLSearchParams(asked).get('StackName') === 'Sliceflow'
    response
      .writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' })
      .end(
        isKnown
          ? `<GetTemplateResponse><GetTemplateResult><TemplateBody>${xml(body)}</TemplateBody></GetTemplateResult></GetTemplateResponse>`
          : '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id Other does not exist</Message></Error></ErrorResponse>',
      )
  })

describe('sliceflow preflight of a deployment', () => {
  it('checks the clusters that the template of its stack names, with its settings', async () => {
    await serveStack(template)
    const { code, stdout, stderr } = await runSliceflow('preflight', '--stack', 'Sliceflow', '-o', 'json')
    // A busy machine may make it wait.
    expect(stderr.replaceAll(/^sliceflow: checking; .*\n/gm, '')).toBe('')
    const { clusters } = JSON.parse(stdout) as PreflightReport
    expect(clusters.map(({ name, server }) => [name, server])).toEqual([
      ['edge', parse(cluster.text).clusters[0].cluster.server],
    ])
    const checks = clusters[0]?.checks ?? []
    expect(checks.filter(({ mark }) => mark !== 'ok')).toEqual([])
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'first start', reason: 'a shadow writes nothing' }),
    )
    expect(code).toBe(0)
  })

  it('checks the clusters that are given as its functions have them', async () => {
    await serveStack(template)
    const clusters = JSON.stringify([SECRET])
    const { code } = await runSliceflow('preflight', '--clusters', clusters, '--shadow', '--mode', 'replace')
    expect(code).toBe(0)
  })

  it.each([
    ['Other', 1, 'Stack with id Other does not exist; check its name, AWS_REGION'],
    ['outputs.json', 2, '"outputs.json" is neither the name nor the ARN of a stack'],
  ])('says why it cannot read the stack %s', async (stack, code, problem) => {
    await serveStack(template)
    expect(await runSliceflow('preflight', '--stack', stack)).toMatchObject({
      code,
      stderr: expect.stringContaining(problem),
    })
  })

  it.each([
    ['of something else', '{"Resources":{}}', 'it is not of a deployment of Sliceflow'],
    ['that is no JSON', 'Resources: {}', 'it is not of a deployment of Sliceflow'],
    [
      'with references',
      JSON.stringify({
        Resources: {
          F: {
            Type: 'AWS::Lambda::Function',
            Properties: { Environment: { Variables: { SLICEFLOW_CLUSTERS: { Ref: 'A' } } } },
          },
        },
      }),
      'give them with --clusters',
    ],
  ])('says what to do about a template %s', async (_, body, problem) => {
    await serveStack(body)
    expect(await runSliceflow('preflight', '--stack', 'Sliceflow')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problem),
    })
  })

  it('refuses clusters that are none', async () => {
    expect(await runSliceflow('preflight', '--clusters', '[]')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--clusters: clusters: the list is empty'),
    })
  })
})
