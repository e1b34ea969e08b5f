import { writeFile } from 'node:fs/promises'
import { COMMANDS } from '../../functions/cli/index.ts'
import { architecturePicture, commandsPage, fleetPicture, referencePage, THEME_NAMES } from './index.ts'

const DOCS = new URL('../../docs/', import.meta.url)

/** Writes what of the pages is made of the code, and the pictures. */
await writeFile(new URL('reference.md', DOCS), await referencePage())
await writeFile(new URL('commands.md', DOCS), commandsPage(COMMANDS))
for (const name of THEME_NAMES) {
  await writeFile(new URL(`architecture-${name}.svg`, DOCS), architecturePicture(name))
  await writeFile(new URL(`fleet-${name}.svg`, DOCS), fleetPicture(name))
}
