import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type DocComment, docComments } from './doc-comments.ts'
import { ROOT } from './installed.ts'

/** Openings that leave a reader waiting for the subject, whatever the comment stands in front of. */
const OPENINGS = new Set(
  'As At By For From How In Of On Such That Those Told What Whatever When Where Which Who Whoever Whose Why With Without'.split(
    ' ',
  ),
)

/** Words that end as a verb does and are none, as far as comments have begun with them. */
const NO_VERBS = new Set(
  (
    'Addresses Always Attempts Bytes Clusters Conditions Endpoints Entries Events Fields Its Keys Kinds Lines Members ' +
    'Messages Metrics Nodes Objects Options Others Pods Policies Ports Problems Requests Resources Rows Rules Seconds ' +
    'Services Slices Texts These This Times Values Versions Words'
  ).split(' '),
)

/** `Changes of …` is a noun, `Changes the …` a verb. */
const VERB = /^([A-Z][-a-z]*[^s\W]s)\b(?! of )/

const files = ['functions', 'infra', 'shared', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(node_modules|testdata|cdk\.out)\//.test(file))
    .map((file) => `${folder}/${file}`),
)

/**
 * Reports whether a comment may open as it does: a function's with a verb, any other with no hanging clause.
 * A callback may say when it is called.
 */
function opensWell({ text, ofFunction }: DocComment): boolean {
  const [opening = ''] = text.split(/[\s,:;.]/)
  if (text.startsWith('@') || opening === 'Called') return true
  return !OPENINGS.has(opening) && (!ofFunction || (VERB.test(text) && !NO_VERBS.has(opening)))
}

it('doc comments of functions begin with a verb such as "Returns", and no comment with a hanging clause', () => {
  const faults = files.flatMap(docComments).filter((comment) => !opensWell(comment))
  expect(faults.map(({ file, line, text }) => `${file}:${line} ${text.slice(0, 60)}`)).toEqual([])
})
