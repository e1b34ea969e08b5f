import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Sliceflow as it is installed. */
interface Installation {
  /** The root of a checkout, or the package's folder. */
  readonly folder: string
  readonly version: string
}

/** Goes up to it: what is running stands deeper in a build than in a checkout. @throws where it is damaged */
export function findInstallation(): Installation {
  let folder = import.meta.dirname
  while (true) {
    const { name, version } = readManifest(folder)
    if (name === 'sliceflow' && version !== undefined) return { folder, version }
    const parent = dirname(folder)
    if (parent === folder)
      throw new Error('package.json is missing in the installation; install the package again')
    folder = parent
  }
}

function readManifest(folder: string): { readonly name?: string; readonly version?: string } {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    // Most folders on the way have none.
    return {}
  }
}
