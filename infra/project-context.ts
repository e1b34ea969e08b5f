import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where cdk.json is, and the command of CDK runs. */
export const ROOT = join(import.meta.dirname, '..')

/** The context of cdk.json: CDK's recommended feature flags, and what somebody has added for good. */
export const projectContext = (): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')).context
