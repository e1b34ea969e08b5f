import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/** YAML, loaded when somebody first sends it or asks for it: no start of a server needs it. */
export const yaml = (): typeof import('yaml') => load('yaml')
