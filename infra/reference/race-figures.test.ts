import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { withRaceTable } from './index.ts'

const ROOT = new URL('../../', import.meta.url)
const readme = await readFile(new URL('README.md', ROOT), 'utf8')
const figures = await readFile(new URL('test/bench/race/figures.ndjson', ROOT), 'utf8')

describe('the table of the race in the README', () => {
  it('is made of the figures that the bench wrote: npm run docs', () => {
    expect(withRaceTable(readme, figures)).toBe(readme)
  })

  it('has the medians of the rounds', () => {
    const rolling = figures.split('\n').find((line) => /rolling.*"sliceflow"/.test(line)) ?? ''
    const rounds = [600, 10_000].map((sliceWrites) => JSON.stringify({ ...JSON.parse(rolling), sliceWrites }))
    expect(withRaceTable(readme, `${figures}${rounds.join('\n')}\n`)).toBe(readme)
    expect(withRaceTable(readme, `${figures}${rounds[1]}\n${rounds[1]}\n`)).toContain('| 10,000, 4.3 s |')
  })

  it('is not made of a race that lacks a work, or in which slices were wrong in the end', () => {
    const without = figures.split('\n').filter((line) => !line.includes('one change'))
    expect(() => withRaceTable(readme, without.join('\n'))).toThrow('lack "one change, 3000 pods"')
    const wrong = figures.replace('"differences": []', '"differences": ["one"]')
    expect(() => withRaceTable(readme, wrong)).toThrow('were wrong in the end')
  })
})
