import { readFile, writeFile } from 'node:fs/promises'
import { COMMANDS } from '../../cli/index.ts'
import { commandsPage, referencePage, withRaceTable } from './index.ts'

const DOCS = new URL('../../docs/', import.meta.url)

/** Writes what of the pages is made of the code. */
await writeFile(new URL('reference.md', DOCS), await referencePage())
await writeFile(new URL('commands.md', DOCS), commandsPage(COMMANDS))

const README = new URL('../../README.md', import.meta.url)
const figures = await readFile(new URL('../../test/bench/race/figures.ndjson', import.meta.url), 'utf8')
await writeFile(README, withRaceTable(await readFile(README, 'utf8'), figures))
