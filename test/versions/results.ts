import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RELEASES } from '../cluster/binaries.ts'
import { SUITE_NAMES } from './suites.ts'

/** What a suite said on a version. */
export interface SuiteResult {
  readonly passed: number
  /** Names of the tests that failed. */
  readonly failed: readonly string[]
  /** Day of the run, in UTC, such as 2026-11-26. */
  readonly date: string
}

/** By minor version of Kubernetes, such as `1.34`. */
export type Results = Readonly<Record<string, VersionResults>>

export interface VersionResults {
  /** Such as v1.34.4. */
  readonly release: string
  readonly suites: Readonly<Record<string, SuiteResult>>
}

const FILE = fileURLToPath(new URL('./results.json', import.meta.url))
const PAGE = fileURLToPath(new URL('../../docs/kubernetes-versions.md', import.meta.url))
const [BEGIN, END] = ['<!-- results -->\n', '<!-- end of results -->\n']

export const readResults = async (): Promise<Results> => JSON.parse(await readFile(FILE, 'utf8'))

/** Writes them, and their table into the page. */
export async function writeResults(results: Results): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(PAGE, pageWith(results, await readPage()))
}

export const readPage = (): Promise<string> => readFile(PAGE, 'utf8')

/** Returns the page with the table of these results. */
export function pageWith(results: Results, page: string): string {
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n${tableOf(results)}\n${END}${after}`
}

/** Makes a column of each version: one that was never run says so. */
function tableOf(results: Results): string {
  const versions = Object.entries(RELEASES).map(
    ([minor, release]): VersionResults => results[minor] ?? { release, suites: {} },
  )
  const rows = SUITE_NAMES.map((suite) => [suite, ...versions.map(({ suites }) => cellOf(suites[suite]))])
  const lines = [
    ['', ...versions.map(({ release }) => release)],
    ['---', ...versions.map(() => '---')],
    ...rows,
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function cellOf(result: SuiteResult | undefined): string {
  if (result === undefined) return 'not run'
  const { passed, failed, date } = result
  return `${failed.length === 0 ? '' : `${failed.length} failed, `}${passed} passed, ${date}`
}
