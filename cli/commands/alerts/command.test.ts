import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { runSliceflow } from '../../program.fixtures.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
}
const rulesOf = (text: string): Rule[] => parse(text).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
const written = await readFile(new URL('../../../infra/prometheus/alerts.yaml', import.meta.url), 'utf8')
const isOfStandby = ({ alert }: Rule): boolean => alert.startsWith('SliceflowStandby')

it('prints the alerts as they are for the job sliceflow, without those of a standby', async () => {
  const { stdout } = await runSliceflow('alerts')
  expect(rulesOf(stdout)).toEqual(rulesOf(written).filter((rule) => !isOfStandby(rule)))
  expect(stdout).toContain('# Set it to 60 s more than coalescingWindow')
  expect((await runSliceflow('alerts', '--standby-job', 'sliceflow-standby')).stdout).toBe(written)
})

it('names the jobs that are given in every expression', async () => {
  const { stdout } = await runSliceflow('alerts', '--job', 'a"b', '--standby-job', 'c$&')
  const jobs = rulesOf(stdout).flatMap(({ expr }) => expr.match(/job="(?:\\.|[^"])*"/g) ?? [])
  expect(new Set(jobs)).toEqual(new Set(['job="a\\"b"', 'job="c$&"']))
  const down = rulesOf(stdout).find(({ alert }) => alert === 'SliceflowStandbyDown')
  expect(down?.expr).toBe('(1 - up{job="c$&"} or absent(up{job="c$&"})) >= 1')
})
