import { existsSync, readFileSync } from 'node:fs'
import { Match, type Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  EKS,
  ELSEWHERE,
  emptyBundles,
  type Resource,
  resourcesOf,
  SECRET,
  templateOf,
} from './template.fixtures.ts'

const RUNBOOKS = new URL('../runbooks/', import.meta.url)

describe('the alarms of a deployment', () => {
  const bundles = emptyBundles()
  let template: Template

  beforeAll(() => {
    template = templateOf({ bundles, clusters: [EKS, SECRET, ELSEWHERE], settings: { relayStandby: true } })
  })
  const of = (type: string): [string, Resource][] => resourcesOf(template, type)

  it('that tell somebody, and say where to read what to do', () => {
    const alarms = [...of('AWS::CloudWatch::Alarm'), ...of('AWS::CloudWatch::CompositeAlarm')]
    expect(alarms.length).toBeGreaterThan(18)
    for (const [id, { Properties }] of alarms) {
      const topics = id.includes('ByCluster') ? 2 : 1
      expect([id, new Set(Properties.AlarmActions as []).size]).toEqual([id, topics])
      expect(Properties.OKActions).toEqual(Properties.AlarmActions)
      const page =
        /infra\/runbooks\/([a-zA-Z-]+\.md)/.exec(String(Properties.AlarmDescription))?.[1] ?? 'none'
      expect([id, page, existsSync(new URL(page, RUNBOOKS))]).toEqual([id, page, true])
    }
  })

  it('that the index of the runbooks names beside their page', () => {
    const index = readFileSync(new URL('README.md', RUNBOOKS), 'utf8')
    const rows = [...index.matchAll(/^\| (.+) \| \[[\w-]+\]\(([\w-]+\.md)\) \|$/gm)]
    const named = new Map(rows.map(([, names = '', page = '']) => [page, names.match(/[A-Z]\w+/g) ?? []]))
    expect(named.size).toBeGreaterThan(20)
    for (const [id, { Properties }] of of('AWS::CloudWatch::Alarm')) {
      const page = /infra\/runbooks\/([a-zA-Z-]+\.md)/.exec(String(Properties.AlarmDescription))?.[1] ?? ''
      expect([id, named.get(page)?.some((name) => id.includes(name))]).toEqual([id, true])
    }
  })

  it('that may publish to their topics, as these have a policy of their own', () => {
    expect(of('AWS::SNS::Topic')).toHaveLength(2)
    template.allResourcesProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
          }),
        ]),
      }),
    })
  })

  it('of which each counts for one severity, that is never muted', () => {
    const rules = of('AWS::CloudWatch::CompositeAlarm').map(([, { Properties }]) => Properties)
    for (const composite of rules) expect(composite).not.toHaveProperty('ActionsSuppressor')
    const named = JSON.stringify(rules.map(({ AlarmRule }) => AlarmRule))
    const alarms = of('AWS::CloudWatch::Alarm').map(([id]) => id)
    const alone = alarms.filter((id) => !named.includes(`"${id}"`) && !id.includes('ByCluster'))
    expect(alone).toEqual([])
  })
})
