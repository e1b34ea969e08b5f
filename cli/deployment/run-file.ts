import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { type FileKind, replaceOwnFile } from '../../shared/files/index.ts'
import { describeIssues, object, safeParse } from '../../shared/schema/index.ts'
import { errorMessage } from '../../shared/values/index.ts'
import { type LaneStatus, lanesSchema, urlSchema } from '../local/status/document.ts'

const runSchema = object({ version: v.literal(1), url: v.optional(urlSchema), lanes: lanesSchema })

/** Addresses of a run: where it answers, and where its keys wait. */
interface RunFile {
  /** URL that `--metrics-port` serves; absent without that flag. */
  readonly url?: string | undefined
  readonly lanes: readonly LaneStatus[]
}

const NAME = 'run.json'
const KIND: FileKind = { name: 'the file of a run', begins: /^\{"version":1,/, mode: 0o600 }

/**
 * Leaves in the state directory of a run what others need to ask it.
 * @throws Error when it cannot be written
 */
export async function writeRunFile(directory: string, { url, lanes }: RunFile): Promise<void> {
  try {
    await mkdir(directory, { recursive: true })
    await replaceOwnFile(join(directory, NAME), `${JSON.stringify({ version: 1, url, lanes })}\n`, KIND)
  } catch (error) {
    throw new Error(`failed to write ${NAME} into the state directory ${directory}: ${errorMessage(error)}`)
  }
}

/** @throws Error when the directory is that of no run */
export async function readRunFile(directory: string): Promise<RunFile> {
  let document: unknown
  try {
    document = JSON.parse(await readFile(join(directory, NAME), 'utf8'))
  } catch (error) {
    throw new Error(
      `no run has left its ${NAME} there (${errorMessage(error)}): give the directory of \`sliceflow run --state-dir\``,
    )
  }
  const run = safeParse(runSchema, document)
  if (run.success) return run.data
  throw new Error(`its ${NAME} cannot be read: ${describeIssues(run.issues)}`)
}
