import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { REQUIRE } from './require.ts'

const placeOf = (name: string): string => dirname(fileURLToPath(import.meta.resolve(name)))

/** What a bundle of the command needs that no package stands beside. */
export const WHOLE = {
  mainFields: ['module', 'main'],
  // A dynamic import finds names in modules only, and its own module for Node is of CommonJS.
  alias: { yaml: join(placeOf('yaml'), '../browser/index.js') },
  banner: { js: REQUIRE },
} as const satisfies BuildOptions

/** Folder of the embedded queue, beside the chunks that load it. */
const QUEUE = 'fauxqs'

/** Text of a source that bundlers do not understand, and what it becomes. */
interface Rewriting {
  readonly file: RegExp
  readonly before: string | RegExp
  readonly after: string
}

const REWRITINGS: readonly Rewriting[] = [
  {
    // It names modules that the package does not export.
    file: /\/functions\/local\/embedded-store\.ts$/,
    before: "import.meta.resolve('fauxqs')",
    after: `new URL('./${QUEUE}/app.js', import.meta.url)`,
  },
  {
    // These load packages when they are first needed, without a promise.
    file: /\/(protobuf\/wire|apimachinery\/yaml|structural\/pattern)\.ts$/,
    before: /\bload\('/,
    after: "require('",
  },
]

const rewrite = ({ file, before, after }: Rewriting): Plugin => ({
  name: `rewrite ${file}`,
  setup({ onLoad }) {
    onLoad({ filter: file }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text.replace(before, after)
      if (contents === text) throw new Error(`${path} has no ${before} to rewrite for the bundle`)
      return { contents, loader: 'ts' }
    })
  },
})

/** Has the embedded queue come from modules of its own, of which a `run` loads those that it uses. */
const bundledQueue: Plugin = {
  name: 'bundled-queue',
  setup({ onResolve }) {
    onResolve({ filter: /^fauxqs$/ }, () => ({ path: `./${QUEUE}/app.js`, external: true }))
  },
}

export const wholePlugins: readonly Plugin[] = [bundledQueue, ...REWRITINGS.map(rewrite)]

/** Bundles those modules, at the places that they have in the package. @param chunks where the chunks are */
export function queueOptions(chunks: string): BuildOptions {
  const place = placeOf('fauxqs')
  return {
    entryPoints: [join(place, 'app.js'), join(place, 'sqs/sqsStore.js'), join(place, 'sqs/actions/*.js')],
    outbase: place,
    outdir: join(chunks, QUEUE),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }
}
