import { bundleAll, bundleCommand } from './index.ts'

/** What the package brings bundled: what runs on AWS, so that its users need no bundler, and the command, so that it starts quickly. */
const [, , functions, command] = process.argv
if (functions === undefined || command === undefined) {
  process.stderr.write('usage: main.ts FOLDER_OF_FUNCTIONS FOLDER_OF_COMMAND\n')
  process.exit(2)
}
await Promise.all([bundleAll(functions), bundleCommand(command)])
