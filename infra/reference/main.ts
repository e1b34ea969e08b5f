import { writeFile } from 'node:fs/promises'
import { referencePage } from './index.ts'

/** Writes docs/reference.md. */
await writeFile(new URL('../../docs/reference.md', import.meta.url), await referencePage())
