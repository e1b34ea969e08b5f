import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/** Loads the YAML library when somebody first sends YAML or asks for it: no start of a server needs it. */
export const yaml = (): typeof import('yaml') => load('yaml')
