import { copyFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLibraries, noticesOf } from './index.ts'

/**
 * Makes what the package of a workspace brings, but for its pages, in `dist` of the current folder, which is
 * the package's where npm packs it. The compiler has put the declarations of the sources into
 * `dist/.declarations`.
 */
const root = fileURLToPath(new URL('../../', import.meta.url))
const dist = join(process.cwd(), 'dist')
const manifest = relative(root, process.cwd())
const bundles = await buildLibraries([manifest], () => dist, join(dist, '.declarations'))
await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(bundles))
await copyFile(join(root, 'LICENSE'), join(dist, 'LICENSE'))
