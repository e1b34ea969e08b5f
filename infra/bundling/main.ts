import { bundleAll } from './index.ts'

/** Bundles what runs on AWS into the folder given: the package brings these, so that its users need no bundler. */
const [, , folder] = process.argv
if (folder === undefined) {
  process.stderr.write('usage: main.ts FOLDER\n')
  process.exit(2)
}
await bundleAll(folder)
