import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RELEASES } from '../cluster/binaries.ts'
import { SUITE_NAMES } from './suites.ts'

/** Cells of the page's table: by release, such as v1.34.4, and then by suite. */
export type Results = Readonly<Record<string, Readonly<Record<string, string>>>>

const PAGE = fileURLToPath(new URL('../../docs/kubernetes-versions.md', import.meta.url))
const TABLE = /(?<=<!-- results -->\n\n)[^<]*(?=\n<!-- end of results -->)/

export const readPage = (): Promise<string> => readFile(PAGE, 'utf8')

/** Reads the table of the page, which alone has the results. */
export async function readResults(): Promise<Results> {
  const [table = ''] = TABLE.exec(await readPage()) ?? []
  const [head = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').slice(1, -1))
  const columns = head.map((release, column) => [
    release.trim(),
    Object.fromEntries(rows.map((cells) => [cells[0]?.trim(), cells[column]?.trim()])),
  ])
  return Object.fromEntries(columns.slice(1))
}

export const writeResults = async (results: Results): Promise<void> =>
  writeFile(PAGE, pageWith(results, await readPage()))

/** Returns the page with a column of each release: what was never run on it says so. */
export function pageWith(results: Results, page: string): string {
  const releases = Object.values(RELEASES)
  const lines = [
    ['', ...releases],
    ['---', ...releases.map(() => '---')],
    ...SUITE_NAMES.map((suite) => [suite, ...releases.map((one) => results[one]?.[suite] ?? 'not run')]),
  ]
  return page.replace(TABLE, lines.map((cells) => `| ${cells.join(' | ')} |\n`).join(''))
}
