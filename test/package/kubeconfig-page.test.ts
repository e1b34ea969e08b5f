import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Row } from '../cluster/kubeconfig/row.ts'
import { ROWS } from '../cluster/kubeconfig/rows.ts'

const PAGE = fileURLToPath(new URL('../../docs/kubeconfig.md', import.meta.url))
const BEGIN = '<!-- table -->\n'

it('docs/kubeconfig.md has the table of the test with kubectl; UPDATE=1 writes it there', async () => {
  const page = await readFile(PAGE, 'utf8')
  const [words = ''] = page.split(BEGIN)
  const expected = words + BEGIN + table(ROWS)
  if (process.env.UPDATE === '1') await writeFile(PAGE, expected)
  else expect(page).toBe(expected)
})

function table(rows: readonly Row[]): string {
  const lines = [...Map.groupBy(rows, ({ of }) => of)].map(([of, own]) => {
    const named = (ends: Row['ends']): string =>
      own
        .filter((row) => row.ends === ends)
        .map(({ name }) => name.replaceAll('*', '\\*').replaceAll('|', '\\|'))
        .join('; ')
    return `| \`${of}\` | ${named('reached')} | ${named('refused')} |`
  })
  return [
    '',
    '| field or variable | the server is reached | it is not |',
    '| --- | --- | --- |',
    ...lines,
    '',
  ].join('\n')
}
