import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import type { AlarmOverrides } from '../index.ts'
import { emptyBundles, resourcesOf, stackOf, templateOf } from '../template.fixtures.ts'
import { alarmsOf, ruleOf, severityOf } from './alarms.fixtures.ts'

describe('alarms that are other than ours', () => {
  const bundles = emptyBundles()
  const ours = templateOf({ bundles })
  const templateWith = (alarms: AlarmOverrides): Template => templateOf({ bundles, alarms })

  it('ring at another threshold, after other periods, for another severity, and no other alarm does', () => {
    const theirs = templateWith({
      FailedKeys: { threshold: 50, evaluationPeriods: 6, datapointsToAlarm: 4, severity: 'critical' },
      AuditFindings: { threshold: 5 },
    })
    const rules = (template: Template) =>
      Object.entries(alarmsOf(template)).map(([id, alarm]) => `${id}: ${ruleOf(alarm)}`)
    const changed = rules(theirs).filter((rule) => !rules(ours).includes(rule))
    expect(changed.filter((rule) => !rule.includes('ByCluster'))).toEqual([
      'FailedKeys: Sum of Sliceflow/FailedKeys/Test/Sliceflow in 300 s ≥ 50, 4 of 6',
      'AuditFindings: Sum of Sliceflow/AuditFindings/Test/Sliceflow in 300 s ≥ 5, 1 of 1',
    ])
    // The one that names the cluster goes by the same numbers.
    expect(changed.filter((rule) => rule.includes('ByCluster'))).toEqual([
      expect.stringMatching(/^FailedKeysByCluster: SELECT .* in 300 s ≥ 50, 4 of 6$/),
    ])
    expect([severityOf(ours, 'FailedKeys'), severityOf(theirs, 'FailedKeys')]).toEqual([
      'warning',
      'critical',
    ])
  })

  it('are not there where they are off, and in no composite or dashboard', () => {
    const template = templateWith({ AuditFindings: false })
    expect(Object.keys(alarmsOf(template))).not.toContain('AuditFindings')
    expect(JSON.stringify(template.toJSON())).not.toContain('AlarmsAuditFindings')
    expect(Object.keys(alarmsOf(template)).length).toBe(Object.keys(alarmsOf(ours)).length - 1)
  })

  it('name no cluster where that is off, alone or with the alarm', () => {
    const byCluster = (template: Template): string[] =>
      Object.keys(alarmsOf(template)).filter((id) => id.endsWith('ByCluster'))
    const all = byCluster(ours)
    const without = all.filter((id) => id !== 'FailedKeysByCluster')
    expect(without).toHaveLength(all.length - 1)
    for (const FailedKeys of [{ byCluster: false }, false] as const)
      expect(byCluster(templateWith({ FailedKeys }))).toEqual(without)
  })

  it('leave no composite of a severity that has none', () => {
    const names = Object.keys(alarmsOf(ours)).filter((name) => !name.endsWith('ByCluster'))
    const critical = Object.fromEntries(names.map((name) => [name, { severity: 'critical' as const }]))
    const composites = resourcesOf(templateWith(critical), 'AWS::CloudWatch::CompositeAlarm')
    expect(composites.map(([id]) => id)).toEqual([expect.stringContaining('Critical')])
    const template = templateWith(Object.fromEntries(names.map((name) => [name, false as const])))
    template.resourceCountIs('AWS::CloudWatch::CompositeAlarm', 0)
  })

  it.each<[AlarmOverrides, string]>([
    [
      { FailedKey: false },
      'alarms: FailedKey is not an alarm of this deployment; did you mean FailedKeys?; it has',
    ],
    [
      { Latency: { threshold: 5 } },
      'alarms: the threshold of Latency is the setting latencyTarget; set that one',
    ],
    [{ FailedKeys: { threshold: 0 } }, 'alarms: FailedKeys would always ring at a threshold of 0'],
    [{ FailedKeys: { datapointsToAlarm: 4 } }, 'alarms: FailedKeys cannot ring with 4 bad of 3 periods'],
    [
      { FailedKeys: { evaluationPeriods: 1.5 } },
      'alarms: FailedKeys cannot ring with 1.5 bad of 1.5 periods',
    ],
    [{ FailedKeys: { evaluationPeriods: 289 } }, 'alarms: FailedKeys would look at 86700 s, and CloudWatch'],
  ])('are refused before CloudFormation: %j', (alarms, problem) => {
    const message = expect.stringContaining(problem)
    expect(() => stackOf({ bundles, alarms })).toThrow(
      expect.objectContaining({ name: 'DeploymentError', message }),
    )
  })
})
