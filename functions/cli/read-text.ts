import { readFileSync } from 'node:fs'

/** Reads the text of a file that a flag names; `what` says in the error what it is. */
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
