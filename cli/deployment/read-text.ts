import { readFileSync } from 'node:fs'
import { errorMessage } from '../../shared/values/index.ts'

/** Reads the text of a file that a flag names; `what` says in the error what it is. */
export function readText(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`failed to read the ${what} ${file}: ${errorMessage(error)}`)
  }
}
