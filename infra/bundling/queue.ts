import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

const FOLDER = 'queue'

/** Has the embedded queue's modules come from a folder beside the module that loads them. */
export const bundledQueue: Plugin = {
  name: 'bundled-queue',
  setup({ onLoad }) {
    onLoad({ filter: /\/functions\/local\/embedded-queue\/queue-modules\.ts$/ }, () => ({
      contents: `export const QUEUE_MODULES = new URL('./${FOLDER}/app.js', import.meta.url).href`,
    }))
  },
}

/** Bundles those modules, each where it stands in fauxqs, so that the actions work on the one store. */
export async function queueOptions(folder: string): Promise<BuildOptions> {
  const modules = dirname(fileURLToPath(import.meta.resolve('fauxqs')))
  const actions = await readdir(join(modules, 'sqs/actions'))
  const names = actions.filter((file) => file.endsWith('.js')).map((file) => basename(file, '.js'))
  const files = ['app', 'sqs/sqsStore', ...names.map((name) => `sqs/actions/${name}`)]
  return {
    entryPoints: Object.fromEntries(files.map((file) => [file, join(modules, `${file}.js`)])),
    outdir: join(folder, FOLDER),
    splitting: true,
    mainFields: ['module', 'main'],
    chunkNames: 'chunks/[name]-[hash]',
    // Its own names sources that it does not bring.
    sourcemap: false,
  }
}
