import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const DECLARATION =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:async )?(?:abstract )?(?:function\*?|class|const) (\w+)/g
const EXAMPLE = /@example\n```ts\n([\s\S]*?)\n```/

/** What an example states of a line: `plan(state).create.length // => 1`, `plan({}) // throws /state/`. */
const RESULT = /^( *)(?:const \w+ = )?(.+?) \/\/ => (.+)$/gm
const THROWN = /^( *)(.+?) \/\/ throws (\/.+\/)$/gm

/**
 * Reads the `@example` of each declaration in the docstrings of a folder's product files, by the name of what
 * is declared; the text is empty where a docstring has none.
 */
export async function docExamples(folder: string): Promise<ReadonlyMap<string, string>> {
  const examples = new Map<string, string>()
  for (const file of globSync('**/*.ts', { cwd: folder })) {
    if (/(^|\/)test|\.(test|fixtures)\.ts$/.test(file)) continue
    const source = await readFile(join(folder, file), 'utf8')
    for (const [, comment = '', name = ''] of source.matchAll(DECLARATION)) {
      const [, example = ''] = comment.replaceAll(/^ *\* ?/gm, '').match(EXAMPLE) ?? []
      if (example !== '' || !examples.has(name)) examples.set(name, example)
    }
  }
  return examples
}

/**
 * Makes a module of an example: what it names is imported, and what it states of a line is checked.
 * @param before what an example takes for granted
 */
export function moduleOf(
  example: string,
  { exports, library, before = '' }: { exports: readonly string[]; library: string; before?: string },
): string {
  const used = exports.filter((name) => new RegExp(`\\b${name}\\b`).test(example))
  const checked = example
    .replaceAll(RESULT, '$1assert.deepEqual($2, $3)')
    .replaceAll(THROWN, '$1await assert.rejects(async () => $2, $3)')
  return [
    "import assert from 'node:assert/strict'",
    `import { ${used.join(', ')} } from '${library}'`,
    before,
    checked,
    '',
  ].join('\n')
}
