import { bundleAll, bundleCommand, bundleImage } from './index.ts'

/**
 * What the package brings bundled: what runs on AWS, so that its users need no bundler; the command, so that it starts quickly; and
 * what an image of it is built from.
 */
const [, , functions, command, image] = process.argv
if (functions === undefined || command === undefined || image === undefined) {
  process.stderr.write('usage: main.ts FOLDER_OF_FUNCTIONS FOLDER_OF_COMMAND FOLDER_OF_IMAGE\n')
  process.exit(2)
}
await Promise.all([bundleAll(functions), bundleCommand(command), bundleImage(image)])
