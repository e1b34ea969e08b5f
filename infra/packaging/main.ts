import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { BUNDLE_NAMES, bundle, bundleCommand, bundleImage } from '../bundling/index.ts'
import { buildLibraries, noticesOf } from './index.ts'

/**
 * Makes what the package `sliceflow` brings, but for its pages: the constructs; the command, so that it
 * starts quickly; what an image of it is built from; and what runs on AWS, so that its users need no bundler.
 * The declarations are made of those that the compiler has put into another folder.
 */
const [folder, declarations] = process.argv.slice(2).map((path) => resolve(path))
if (folder === undefined || declarations === undefined) {
  process.stderr.write('usage: main.ts FOLDER_OF_THE_PACKAGE FOLDER_OF_DECLARATIONS\n')
  process.exit(2)
}
const libraries = await buildLibraries(['.'], () => folder, declarations)
const command = await bundleCommand(join(folder, 'cli'))
await bundleImage(join(folder, 'image'))
const functions = await Promise.all(BUNDLE_NAMES.map((name) => bundle(name, join(folder, 'bundles', name))))
const bundles = [...libraries, ...command, ...functions.flatMap(({ start, lazy }) => [start, lazy])]
await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(bundles))
