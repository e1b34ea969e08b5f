import { readFileSync } from 'node:fs'

/** The text of a file that a flag names; `what` it is stands in the error. */
export function readText(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`failed to read the ${what} ${file}: ${reasonOf(error)}`)
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
