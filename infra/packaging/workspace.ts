import { copyFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ROOT } from '../bundling/index.ts'
import { buildLibraries, noticesOf } from './index.ts'

/**
 * Makes what the package of a workspace brings, but for its pages, in `dist` of the current folder, which is
 * the package's where npm packs it. The compiler has put the declarations of the sources into
 * `dist/.declarations`.
 */
const dist = join(process.cwd(), 'dist')
const manifest = relative(ROOT, process.cwd())
const bundles = await buildLibraries([manifest], () => dist, join(dist, '.declarations'))
await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(bundles))
await copyFile(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'))
