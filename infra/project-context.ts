import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder of cdk.json, in which the command of CDK runs. */
export const ROOT = join(import.meta.dirname, '..')

/** Reads the context of cdk.json: CDK's recommended feature flags, and permanent additions. */
export const projectContext = (): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')).context
