import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** Sliceflow as it is installed. */
interface Installation {
  /** The root of a checkout, or the package's folder. */
  readonly folder: string
  readonly version: string
}

/** @throws Error where it is damaged */
export function findInstallation(): Installation {
  const file = findPackageJSON(import.meta.url)
  const { name, version } = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))
  if (file === undefined || name !== 'sliceflow' || version === undefined)
    throw new Error('package.json is missing in the installation; install the package again')
  return { folder: dirname(file), version }
}
