import { readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { settingsTable } from './documentation.fixtures.ts'

const README = new URL('../README.md', import.meta.url)
const MARKED = /(<!-- settings: [^>]*-->\n)[\s\S]*?(\n<!-- \/settings -->)/

it('has every setting in the README, as the schema has it; UPDATE=1 writes it there', async () => {
  const text = await readFile(README, 'utf8')
  const right = text.replace(MARKED, (_, begin: string, end: string) => begin + settingsTable() + end)
  if (process.env.UPDATE === '1') await writeFile(README, right)
  else expect(text).toBe(right)
})
