import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './installed.ts'

/** A file of tests, and after it sentences in curly quotes, of tests in it. */
const PROOF = /\]\(\.\.\/([^)]+\.ts)\)((?:[\s,]*“[^”]+”(?: \([^)]*\))?)+)/g
const SENTENCE = /“([^”]+)”/g

it('every test that the threat model names exists, and says that', async () => {
  const page = await readFile(join(ROOT, 'docs/threat-model.md'), 'utf8')
  const proofs = [...page.matchAll(PROOF)].flatMap(([, file = '', sentences = '']) =>
    [...sentences.matchAll(SENTENCE)].map(([, sentence = '']) => ({ file, sentence })),
  )
  expect(proofs).toHaveLength(page.match(SENTENCE)?.length ?? 0)
  const missing = []
  for (const { file, sentence } of proofs) {
    const text = await readFile(join(ROOT, file), 'utf8')
    if (!text.includes(`'${sentence}'`)) missing.push({ file, sentence })
  }
  expect(missing).toEqual([])
})
