import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { GUARD_FILES, undocumented } from './guards.fixtures.ts'

describe('the guards', () => {
  it.each(GUARD_FILES)(
    'are in %s as their list says; UPDATE=1 writes them there',
    async (name, withGuards) => {
      const file = new URL(name, import.meta.url)
      const text = await readFile(file, 'utf8')
      if (process.env.UPDATE === '1') await writeFile(file, withGuards(text))
      expect(await readFile(file, 'utf8')).toBe(withGuards(text))
    },
  )

  it('have a runbook for each alarm, and a place for each Event on the page of the reconcile function', () => {
    expect(undocumented()).toEqual([])
  })
})
