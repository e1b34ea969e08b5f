import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A constant that is exported, or a member of one, with the comment above it. */
export interface Documented {
  readonly value: string
  /** Comment in one line. */
  readonly comment: string
}

const OTHERS = /\.(test|fixtures)\.ts$|^shared\/control-plane\//
const NAME = /^export const (?:ANNOTATION|LABEL)_\w+ = '([^']+)'$/
const MEMBER = /^\w+: '([^']+)',$/

/**
 * Finds the names of annotations and labels, wherever a module exports one.
 * @throws Error naming one without a comment
 */
export async function documentedNames(): Promise<Documented[]> {
  const names: Documented[] = []
  for await (const file of glob('{cli,functions,shared}/**/*.ts', { cwd: root }))
    if (!OTHERS.test(file))
      names.push(...documentedLines(file, await readFile(join(root, file), 'utf8'), NAME))
  return names.sort((a, b) => (a.value < b.value ? -1 : 1))
}

/**
 * Finds the members of a constant that is an object of texts, in their order.
 * @throws Error where the file has no such constant, or naming a member without a comment
 */
export async function documentedMembers(file: string, constant: string): Promise<Documented[]> {
  const source = await readFile(join(root, file), 'utf8')
  const [, after] = source.split(`\nexport const ${constant} = {\n`)
  if (after === undefined) throw new Error(`${file} has no constant ${constant}`)
  const [body = ''] = after.split('\n}')
  return documentedLines(file, body, MEMBER)
}

/** Finds the lines that define something, each with the comment that ends on the line before it. */
function documentedLines(file: string, source: string, definition: RegExp): Documented[] {
  const found: Documented[] = []
  let comment: string[] = []
  for (const line of source.split('\n').map((text) => text.trim())) {
    const [, value] = definition.exec(line) ?? []
    const isOfComment = line.startsWith('/**') || line.startsWith('*')
    if (line.startsWith('/**')) comment = []
    if (isOfComment) comment.push(textOf(line))
    if (value !== undefined) {
      if (comment.length === 0) throw new Error(`${file}: "${value}" has no comment`)
      found.push({ value, comment: comment.filter((text) => text !== '').join(' ') })
    }
    if (!isOfComment) comment = []
  }
  return found
}

const textOf = (line: string): string =>
  line
    .replace(/^\/?\*+/, '')
    .replace('*/', '')
    .replace(/^\//, '')
    .trim()
