/** Writes the table of the README from the figures beside this file. */
import { readFile, writeFile } from 'node:fs/promises'
import { withRaceTable } from './readme.ts'

const README = new URL('../../../README.md', import.meta.url)
const figures = await readFile(new URL('figures.ndjson', import.meta.url), 'utf8')
await writeFile(README, withRaceTable(await readFile(README, 'utf8'), figures))
