import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { alarmsOf, metricsRead } from './alarms/alarms.fixtures.ts'
import { Sliceflow, type SliceflowProps } from './index.ts'
import { EKS, emptyBundles, resourcesOf, SECRET, testApp, variablesOf } from './template.fixtures.ts'

/** A deployment whose clusters are in eu-west-1, with a standby in eu-central-1. */
describe('a standby deployment', () => {
  const bundles = emptyBundles()
  function stackIn(region: string | undefined, props: Partial<SliceflowProps>): Stack {
    const stack = new Stack(testApp(bundles), 'Test', region === undefined ? {} : { env: { region } })
    new Sliceflow(stack, 'Sliceflow', { clusters: [EKS], bundles, ...props })
    return stack
  }
  const first = stackIn('eu-west-1', {})
  const standby = stackIn('eu-central-1', { standby: true })

  it('has everything that the other one has, and relays that stand by', () => {
    const types = (stack: Stack): string[] =>
      Object.values(Template.fromStack(stack).toJSON().Resources as Record<string, { Type: string }>)
        .map(({ Type }) => Type)
        // The other region's cluster gets its entries by the commands that synth prints.
        .filter((type) => type !== 'AWS::EKS::AccessEntry')
        .toSorted()
    const alarm = 'AWS::CloudWatch::Alarm'
    expect(types(standby)).toEqual([...types(first), alarm].toSorted())
    expect(resourcesOf(Template.fromStack(standby), 'AWS::ECS::Service')).toHaveLength(1)
    const added = { SLICEFLOW_RELAY_STANDBY: 'true', SLICEFLOW_STANDBY_DEPLOYMENT: 'true' }
    expect(variablesOf(standby, 'RelayTask0')).toEqual({ ...variablesOf(first, 'RelayTask0'), ...added })
    expect(variablesOf(standby, 'Reconcile')).toEqual(variablesOf(first, 'Reconcile'))
  })

  it('calls for help once it has work to do, by metrics that its relays write', () => {
    const [ofFirst, ofStandby] = [first, standby].map((stack) => alarmsOf(Template.fromStack(stack)))
    const added = Object.keys(ofStandby ?? {}).filter((id) => !(id in (ofFirst ?? {})))
    expect(added).toEqual(['StandbySends'])
    const read = Object.values(ofStandby ?? {}).flatMap(metricsRead)
    expect(read.map(({ name }) => name)).toContain('RelayStandbyKeys')
    expect(JSON.stringify(ofStandby)).not.toContain('StandbyRelay')
  })

  it('names the same writer as the other one where their settings agree in what is published', () => {
    const writerOf = (stack: Stack): unknown =>
      Object.values(Template.fromStack(stack).findOutputs('SliceflowWriter'))[0]?.Value
    expect(writerOf(standby)).toMatch(/^[-\w]{8}$/)
    expect(writerOf(standby)).toBe(writerOf(first))
    const paced = stackIn('eu-central-1', { standby: true, settings: { standbyDelay: 9 } })
    expect(writerOf(paced)).toBe(writerOf(first))
    const other = stackIn('eu-central-1', { standby: true, settings: { maxEndpointsPerSlice: 50 } })
    expect(writerOf(other)).not.toBe(writerOf(first))
  })

  const views = { spec: 'views.yaml' }
  it.each<[string, Partial<SliceflowProps>, RegExp]>([
    ['a checkpoint', { keepState: true }, /^keepState: a standby keeps no checkpoint/],
    ['standbys of its own', { settings: { relayStandby: true } }, /^relayStandby: every relay of a standby/],
    ['nothing to write', { settings: { shadow: true } }, /^shadow: a standby cannot tell/],
    ['views', { views }, /^views: a standby feeds no view publisher/],
    [
      'a secret that would be lost',
      { clusters: [SECRET] },
      /^cluster "edge": its secret is in eu-west-1.*replicate-secret-to-regions --region eu-west-1 .*Region=eu-central-1/,
    ],
  ])('is refused with %s', (_, props, message) => {
    expect(() => stackIn('eu-central-1', { standby: true, ...props })).toThrow(message)
  })

  it('takes the replica of a secret, and any where its region is not known', () => {
    const replica = { ...SECRET, secretArn: SECRET.secretArn.replace('eu-west-1', 'eu-central-1') }
    expect(() => stackIn('eu-central-1', { standby: true, clusters: [replica] })).not.toThrow()
    expect(() => stackIn(undefined, { standby: true, clusters: [SECRET] })).not.toThrow()
  })
})
