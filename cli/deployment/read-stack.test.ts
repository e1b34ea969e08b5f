import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveAws } from '../../test/support/stub-aws.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { readStack } from './read-stack.ts'

const url = (queue: string): string => `https://sqs.eu-west-1.amazonaws.com/123456789012/${queue}`
const OUTPUTS = {
  SliceflowDashboard: 'https://eu-west-1.console.aws.amazonaws.com/cloudwatch',
  SliceflowLiveQueueUrl: url('live'),
  SliceflowLiveDeadLettersUrl: url('live-dead-letters'),
  SliceflowSweepQueueUrl: url('sweep'),
}
const QUEUES = { live: url('live'), sweep: url('sweep') }

describe('the queues of a deployment', () => {
  const file = (content: unknown): string => {
    const path = join(temporaryFolder(), 'outputs.json')
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  it('are read from the file that CDK wrote', async () => {
    expect(await readStack(file({ Sliceflow: OUTPUTS }))).toEqual(QUEUES)
  })

  it('are found in a stack of others, wherever in it Sliceflow is', async () => {
    const own = {
      BusUrl: 'x',
      PlatformSliceflowLiveQueueUrl: url('live'),
      PlatformViewPublisherQueueUrl: url('views'),
    }
    expect(await readStack(file({ Own: own }))).toEqual({ live: url('live'), viewPublisher: url('views') })
  })

  it.each<[string, unknown, RegExp]>([
    ['that is no JSON', '{', /^failed to read the outputs of the stack .*outputs\.json: .*JSON/],
    ['of something else', { Sliceflow: ['a'] }, /^failed to read the outputs of the stack .*: .*expected/],
    [
      'without queues',
      { Other: { Url: 'a' } },
      /^stack .* has no output that ends with LiveQueueUrl: it is not of a deployment of Sliceflow/,
    ],
    [
      'of two deployments',
      { A: OUTPUTS, B: { OtherLiveQueueUrl: url('other') } },
      /^stack .* has several deployments \(SliceflowLiveQueueUrl, OtherLiveQueueUrl\): give the URLs/,
    ],
    [
      'whose queue is no URL, to which credentials would go',
      { A: { LiveQueueUrl: 'file:///etc/passwd' } },
      /^stack .*: its output LiveQueueUrl is not the URL of a queue$/,
    ],
  ])('cannot be read from a file %s', async (_, content, problem) => {
    await expect(readStack(file(content))).rejects.toThrow(problem)
  })

  describe('by the name of its stack', () => {
    /** Serves CloudFormation with one stack. Each request is noted as its region and what it asks for. */
    async function serveCloudFormation(): Promise<string[]> {
      const asked: string[] = []
      await serveAws(['CLOUDFORMATION'], async (request, response) => {
        const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
        const region = /Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '')?.[1]
        asked.push(`${region} ${body.get('Action')} ${body.get('StackName')}`)
        const isKnown = /(^|\/)Sliceflow(\/|$)/.test(body.get('StackName') ?? '')
        response
          .writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' })
          .end(isKnown ? DESCRIBED : UNKNOWN)
      })
      return asked
    }

    const members = Object.entries(OUTPUTS).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    )
    const DESCRIBED = `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>Sliceflow</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
    const UNKNOWN =
      '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id Other does not exist</Message></Error></ErrorResponse>'

    it('are what CloudFormation says, in the region of the environment or of the ARN', async () => {
      const asked = await serveCloudFormation()
      const arn = 'arn:aws:cloudformation:us-east-1:123456789012:stack/Sliceflow/0a1b'
      expect(await readStack('Sliceflow')).toEqual(QUEUES)
      expect(await readStack(arn)).toEqual(QUEUES)
      expect(asked).toEqual(['eu-west-1 DescribeStacks Sliceflow', `us-east-1 DescribeStacks ${arn}`])
    })

    it('are not found where there is no such stack, and what to look at is said', async () => {
      await serveCloudFormation()
      await expect(readStack('Other')).rejects.toThrow(
        /^failed to describe the stack Other: Stack with id Other does not exist; check its name, AWS_REGION and the credentials, which must allow cloudformation:DescribeStacks$/,
      )
    })
  })
})
