import { describe, expect, it } from 'vitest'
import { CANARY_GRANT } from '../../../functions/canary/index.ts'
import {
  EKS,
  ELSEWHERE,
  emptyBundles,
  resourcesOf,
  stackOf,
  statementsOf,
  templateOf,
} from '../template.fixtures.ts'

describe('the canary of a deployment', () => {
  const bundles = emptyBundles()
  const template = templateOf({ bundles, canary: true, clusters: [EKS, ELSEWHERE] })
  const of = (type: string) => resourcesOf(template, type)

  it('is a function of its own that is called each minute', () => {
    const functions = of('AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties.Handler === 'index.canary',
    )
    expect(functions).toHaveLength(1)
    const schedules = of('AWS::Scheduler::Schedule').map(
      ([, { Properties }]) => Properties.ScheduleExpression,
    )
    expect(schedules).toContain('rate(1 minute)')
  })

  it('reaches the clusters as a group of its own, and nothing else of AWS', () => {
    const entries = of('AWS::EKS::AccessEntry').map(([, { Properties }]) => Properties.KubernetesGroups)
    expect(entries).toContainEqual(['sliceflow-canary'])
    const statements = statementsOf(template, 'CanaryRoleDefaultPolicy')
    expect(statements.flatMap(({ Action }) => Action).toSorted()).toEqual([
      'eks:DescribeCluster',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sts:AssumeRole',
    ])
  })

  it.each([
    [undefined, CANARY_GRANT],
    ['a/b=10.0.0.0/8', `a/b=10.0.0.0/8,${CANARY_GRANT}`],
  ])('lets relay and functions publish its addresses beside %s', (allowedAddresses, granted) => {
    const settings = allowedAddresses === undefined ? {} : { allowedAddresses }
    const given = resourcesOf(templateOf({ bundles, canary: true, settings }), 'AWS::Lambda::Function')
    for (const [, { Properties }] of given)
      expect(Properties.Environment).toMatchObject({ Variables: { SLICEFLOW_ALLOWED_ADDRESSES: granted } })
  })

  it.each([
    [{ shadow: true }, 'canary: with shadow nothing is written'],
    [{ mode: 'replace' }, 'canary: its Service has no selector'],
  ] as const)('is refused with %j, by which it would see nothing', (settings, message) => {
    expect(() => stackOf({ bundles, canary: true, settings })).toThrow(message)
  })

  it('is not there unless it is asked for', () => {
    expect(JSON.stringify(templateOf({ bundles }).toJSON())).not.toMatch(/canary/i)
  })
})
