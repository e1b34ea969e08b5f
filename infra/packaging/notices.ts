import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { ROOT } from '../bundling/index.ts'

/**
 * The folder of a package, also of one within another's node_modules. What a plugin of the bundler has made
 * for a module of it has a colon before that.
 */
const PACKAGE = /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/
const RULE = `\n${'-'.repeat(80)}\n\n`

/**
 * Collects the licences of the packages that bundles have something of: most of them ask to be passed on with
 * every copy.
 * @throws Error naming a package that does not say its licence
 */
export async function noticesOf(bundles: readonly Metafile[]): Promise<string> {
  const files = bundles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => used(inputs)))
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []))
  const notices = new Set<string>()
  for (const folder of [...folders].sort()) notices.add(await noticeOf(join(ROOT, folder)))
  return `Parts of these packages are in the bundled files beside this one.${RULE}${[...notices].join(RULE)}`
}

const used = (inputs: Metafile['outputs'][string]['inputs']): string[] =>
  Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0)

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${folder}/package.json does not say its license`)
  const texts: string[] = []
  for await (const file of glob('{licen[sc]e,LICEN[SC]E,Licen[sc]e,NOTICE,notice}{,.*,-*}', { cwd: folder }))
    if (!/\.[cm]?[jt]s$/.test(file)) texts.push((await readFile(join(folder, file), 'utf8')).trim())
  return [`${name} ${version} (${license})`, ...texts].join('\n\n')
}
