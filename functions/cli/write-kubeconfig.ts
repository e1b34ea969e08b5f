import { closeSync, fchmodSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { reasonOf } from './read-text.ts'

/**
 * Writes a kubeconfig that only its owner can read, as it holds a key. An existing file may be readable for
 * others.
 */
export function writeKubeconfig(file: string, text: string): void {
  try {
    const opened = openSync(file, 'w', 0o600)
    try {
      if (fstatSync(opened).isFile()) fchmodSync(opened, 0o600)
      writeFileSync(opened, text)
    } finally {
      closeSync(opened)
    }
  } catch (error) {
    throw new Error(`failed to write the kubeconfig ${file}: ${reasonOf(error)}`)
  }
}
