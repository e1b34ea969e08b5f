import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { STYLE } from '../../shared/report/elements/index.ts'
import type { PageFile } from './server/index.ts'

/** Folder of the page's files, beside this file in a checkout; a build puts it beside the bundle. */
const FOLDER = fileURLToPath(new URL('page/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Reads everything that makes up the page, by the names that its links have. */
export async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(FOLDER)
  const files = names.map(async (name): Promise<[string, PageFile]> => {
    const content = await readFile(join(FOLDER, name), 'utf8')
    return [name, { type: TYPES[extname(name)] ?? 'text/plain', content }]
  })
  return new Map([
    ...(await Promise.all(files)),
    ['report.css', { type: TYPES['.css'] ?? '', content: STYLE }],
  ])
}
