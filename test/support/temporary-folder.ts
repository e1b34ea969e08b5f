import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Makes a folder, which is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Makes a folder for the tests of a file or of a block, which is removed after the last of them. */
export function sharedFolder(): string {
  const folder = newFolder()
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'sliceflow-'))
