import { SQS } from '@aws-sdk/client-sqs'
import { STS } from '@aws-sdk/client-sts'
import { App, Stack } from 'aws-cdk-lib'
import { RegionInfo } from 'aws-cdk-lib/region-info'
import { describe, expect, it } from 'vitest'
import { createAws, parseClusters } from '../shared/clusters/index.ts'
import { createQueueClient } from '../shared/queue/index.ts'
import { dashboardLink } from './constructs/outputs.ts'

const REGIONS = RegionInfo.regions.map(({ name, partition = '' }) => ({ name, partition }))
const RULES = { UseFIPS: false, UseDualStack: false }

describe.each(REGIONS)('in the region $name of the partition $partition', ({ name, partition }) => {
  it('tokens of EKS name the STS that the SDK asks', async () => {
    const { endpointProvider } = new STS({ region: name }).config
    const { url } = endpointProvider({ Region: name, ...RULES, UseGlobalEndpoint: false })
    expect(await createAws().stsHost(name)).toBe(url.hostname)
  })

  it('the region of a queue is known by its address', async () => {
    const { url } = new SQS({ region: name }).config.endpointProvider({ Region: name, ...RULES })
    const client = await createQueueClient(`${url.origin}/123456789012/live`)
    expect(await client.config.region()).toBe(name)
  })

  it('clusters may be', () => {
    const config = [{ name: 'a', kind: 'eks', clusterName: 'prod', region: name }]
    expect(parseClusters(JSON.stringify(config))).toMatchObject([{ region: name }])
  })

  it('the link to the dashboard leads to a console that exists, or there is none', () => {
    const consoles: Readonly<Record<string, string>> = {
      aws: 'console.aws.amazon.com',
      'aws-cn': 'console.amazonaws.cn',
      'aws-us-gov': 'console.amazonaws-us-gov.com',
      'aws-eusc': 'console.amazonaws-eusc.eu',
    }
    const link = dashboardLink(name, 'Sliceflow')
    if (consoles[partition] === undefined) expect(link).not.toContain('https://')
    else expect(new URL(link).host).toBe(`${name}.${consoles[partition]}`)
  })
})

it('names the dashboard where the region is known only as it is deployed', () => {
  const { region } = new Stack(new App(), 'Any')
  expect(dashboardLink(region, 'Sliceflow')).toMatch(/^Sliceflow, in the CloudWatch console of region /)
})
