import { writeFile } from 'node:fs/promises'
import { COMMANDS } from '../../cli/index.ts'
import { commandsPage, referencePage } from './index.ts'

const DOCS = new URL('../../docs/', import.meta.url)

/** Writes what of the pages is made of the code. */
await writeFile(new URL('reference.md', DOCS), await referencePage())
await writeFile(new URL('commands.md', DOCS), commandsPage(COMMANDS))
