import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { withRaceTable } from './readme.ts'

const ROOT = new URL('../../../', import.meta.url)
const readme = await readFile(new URL('README.md', ROOT), 'utf8')
const figures = await readFile(new URL('test/bench/race/figures.ndjson', ROOT), 'utf8')

describe('the table of the race in the README', () => {
  it('is made of the figures that the bench wrote: npm run docs', () => {
    expect(withRaceTable(readme, figures)).toBe(readme)
  })

  it('has the medians of the rounds', () => {
    const isRolling = (line: string): boolean => /rolling.*"sliceflow"/.test(line)
    const lines = figures.split('\n')
    const rolling = JSON.parse(lines.find(isRolling) ?? '')
    const tableOf = (...rounds: number[]): string => {
      const made = rounds.map((sliceWrites) => JSON.stringify({ ...rolling, sliceWrites }))
      return withRaceTable(readme, [...lines.filter((line) => !isRolling(line)), ...made].join('\n'))
    }
    expect(tableOf(600, 10_000, 777)).toContain('| 777, ')
    expect(tableOf(10_000, 777, 10_000)).toContain('| 10,000, ')
  })

  it('is not made of a race that lacks a work, or in which slices were wrong in the end', () => {
    const without = figures.split('\n').filter((line) => !line.includes('one change'))
    expect(() => withRaceTable(readme, without.join('\n'))).toThrow(
      'lack "one change, 3000 pods, 5000 nodes"',
    )
    const wrong = figures.replaceAll('"differences":[]', '"differences":["one"]')
    expect(() => withRaceTable(readme, wrong)).toThrow('were wrong in the end')
  })
})
