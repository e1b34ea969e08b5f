import { writeFile } from 'node:fs/promises'
import { architecturePicture, fleetPicture, referencePage, THEME_NAMES } from './index.ts'

const DOCS = new URL('../../docs/', import.meta.url)

/** Writes what of the pages is made of the code, and the pictures. */
await writeFile(new URL('reference.md', DOCS), await referencePage())
for (const name of THEME_NAMES) {
  await writeFile(new URL(`architecture-${name}.svg`, DOCS), architecturePicture(name))
  await writeFile(new URL(`fleet-${name}.svg`, DOCS), fleetPicture(name))
}
