import type { Result } from './run.ts'
import type { Scenario } from './scenario.ts'
import type { SubjectKind } from './subject.ts'

interface Report {
  readonly subjects: readonly SubjectKind[]
  readonly scenarios: readonly Scenario[]
  readonly results: readonly Result[]
}

export const mark = ({ survived }: Pick<Result, 'survived'>): string => (survived ? 'yes' : 'NO')

const resultOf = ({ results }: Report, scenario: Scenario, { id }: SubjectKind): Result | undefined =>
  results.find((result) => result.scenario === scenario && result.subject === id)

function cell(report: Report, scenario: Scenario, subject: SubjectKind): string {
  const result = resultOf(report, scenario, subject)
  if (result !== undefined) return `${mark(result)}: ${result.observed}`
  return `not played: ${scenario.cannot?.[subject.id]}`
}

/** Formats Markdown: a row for each scenario, and the sums. */
export function reportText(report: Report): string {
  const { scenarios, subjects } = report
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    row(['scenario', ...subjects.map(({ name }) => name)]),
    row(['---', ...subjects.map(() => '---')]),
    ...scenarios.map((scenario) =>
      row([
        `**${scenario.id}** (${scenario.source})<br>${scenario.sentence}`,
        ...subjects.map((subject) => cell(report, scenario, subject)),
      ]),
    ),
    '',
    ...sums(report),
  ].join('\n')
}

const sums = (report: Report): string[] =>
  report.subjects.map((subject) => {
    const results = report.results.filter((result) => result.subject === subject.id)
    const survived = results.filter((result) => result.survived).length
    return `${subject.name} survives ${survived} of ${results.length}.`
  })
