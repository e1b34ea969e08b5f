import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { runSliceflow } from '../../../cli/program.fixtures.ts'
import { ensurePrograms, type Programs } from './programs.ts'

/** Time limit of the first run on a machine, which builds the programs beside other tests. */
const BUILD_TIMEOUT_MS = 1_200_000

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const ALERTS = path('../../../infra/prometheus/alerts.yaml')
const DASHBOARD = path('../../../infra/prometheus/dashboard.json')
const UNIT_TESTS = path('./alerts.promtool.yaml')

/** The job in series and labels, and not in the names of metrics. */
const NAME_OF_JOB = /(job(?:=\\"|":"))sliceflow(\\?")/g

interface AlertTest {
  readonly alertname: string
  readonly exp_alerts: readonly unknown[]
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

let programs: Programs
let folder: string

/** Resolves to the exit code and all that the program said. */
function run(
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
    child.stdin?.end(input)
  })
}

beforeAll(async () => {
  programs = await ensurePrograms()
  folder = await mkdtemp(join(tmpdir(), 'sliceflow-prometheus-'))
}, BUILD_TIMEOUT_MS)
afterAll(() => rm(folder, { recursive: true }))

describe('promtool', () => {
  it('finds nothing wrong with the alerts', async () => {
    const { groups } = parse(await readFile(ALERTS, 'utf8')) as { groups: { rules: unknown[] }[] }
    const count = groups.flatMap(({ rules }) => rules).length
    const { code, output } = await run(programs.promtool, ['check', 'rules', '--lint-fatal', ALERTS])
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`${count} rules found`) })
  })

  it('sees each alert ring when it shall, and only then', async () => {
    const { code, output } = await run(programs.promtool, ['test', 'rules', UNIT_TESTS])
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') })
  })

  it('sees that an alert does not ring whose threshold is another one', async () => {
    const rules = join(folder, 'alerts.yaml')
    await writeFile(rules, (await readFile(ALERTS, 'utf8')).replace('>= 180', '>= 1800'))
    const tests = join(folder, 'tests.yaml')
    const { rule_files: _, ...rest } = parse(await readFile(UNIT_TESTS, 'utf8'))
    await writeFile(tests, stringify({ rule_files: [rules], ...rest }))
    const { code, output } = await run(programs.promtool, ['test', 'rules', tests])
    expect(code).not.toBe(0)
    expect([...output.matchAll(/alertname: (\w+)/g)].map(([, name]) => name)).toEqual([
      'SliceflowWatchSilent',
    ])
  })

  it('sees no RelayDown for ever where the jobs have other names, and one where that relay is down', async () => {
    const rules = join(folder, 'named.yaml')
    const { stdout } = await runSliceflow('alerts', '--job', 'mine', '--standby-job', 'mine-too')
    await writeFile(rules, stdout)
    const { rule_files: _, tests, ...rest } = parse(await readFile(UNIT_TESTS, 'utf8'))
    const renamed = JSON.parse(
      JSON.stringify(tests)
        .replaceAll(/\bsliceflow-standby\b/g, 'mine-too')
        .replaceAll(NAME_OF_JOB, '$1mine$2'),
    )
    const up = { series: 'up{job="mine", instance="a:9"}', values: '1x60' }
    const quiet = { alertname: 'SliceflowRelayDown', eval_time: '60m', exp_alerts: [] }
    const healthy = { name: 'healthy', interval: '1m', input_series: [up], alert_rule_test: [quiet] }
    const file = join(folder, 'named.promtool.yaml')
    const test = async (rule: string) => {
      await writeFile(file, stringify({ rule_files: [rule], ...rest, tests: [healthy, ...renamed] }))
      return run(programs.promtool, ['test', 'rules', file])
    }
    expect(await test(rules)).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') })
    const { output } = await test(ALERTS)
    expect(output).toMatch(/healthy|RelayDown/)
  })

  it('reads every query of the dashboard', async () => {
    const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as { panels: Panel[] }
    const rules = panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => ({ record: 'checked', expr: expr.replaceAll('$__rate_interval', '5m') })),
    )
    const file = join(folder, 'queries.yaml')
    await writeFile(file, stringify({ groups: [{ name: 'queries', rules }] }))
    const { code, output } = await run(programs.promtool, ['check', 'rules', '--lint=none', file])
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining(`${rules.length} rules found`),
    })
  })
})

describe('the unit tests of the alerts', () => {
  it('have of each alert a time when it is quiet and one when it rings', async () => {
    const { groups } = parse(await readFile(ALERTS, 'utf8')) as { groups: { rules: { alert: string }[] }[] }
    const { tests } = parse(await readFile(UNIT_TESTS, 'utf8')) as {
      tests: { alert_rule_test: AlertTest[] }[]
    }
    const tested = tests.flatMap(({ alert_rule_test: each }) => each)
    for (const { alert } of groups.flatMap(({ rules }) => rules)) {
      const counts = tested.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts)
      expect([alert, counts.some(({ length }) => length === 0)]).toEqual([alert, true])
      expect([alert, counts.some(({ length }) => length > 0)]).toEqual([alert, true])
    }
  })
})

describe('the schema of Grafana’s SDK', () => {
  it('has every field of the dashboard, and misses none', async () => {
    const text = await readFile(DASHBOARD, 'utf8')
    expect(await run(programs.checkDashboard, [], text)).toEqual({ code: 0, output: '' })
  })

  it('refuses a panel with an option that there is not', async () => {
    const text = (await readFile(DASHBOARD, 'utf8')).replace('"showLegend"', '"showsLegend"')
    const { code, output } = await run(programs.checkDashboard, [], text)
    expect(code).toBe(1)
    expect(output).toContain('showsLegend')
  })
})
