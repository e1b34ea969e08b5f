import { readFile, writeFile } from 'node:fs/promises'
import { env } from 'node:process'
import { expect, it } from 'vitest'
import { FLEET_ROWS } from './rows.ts'

const PAGE = new URL('../README.md', import.meta.url)
const TABLE = /(<!-- fleet rows -->\n)[\s\S]*?(?=\n<!-- end of fleet rows -->)/

it('is in the table of test/survival/README.md, each row with its source; UPDATE=1 writes it', async () => {
  const page = await readFile(PAGE, 'utf8')
  const rows = FLEET_ROWS.map(({ id, source, says }) => `| **${id}** | ${says} | ${source} |`)
  const table = ['| row | what must hold | met by users of |', '| --- | --- | --- |', ...rows].join('\n')
  const expected = page.replace(TABLE, `$1${table}`)
  if (env.UPDATE === '1') await writeFile(PAGE, expected)
  else expect(page).toBe(expected)
  expect(page).toMatch(TABLE)
})
