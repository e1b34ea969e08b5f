import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileSystem, Stage } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/**
 * Puts files beside a bundle, in a folder of the app's output: what CDK makes an asset of has the hash of all
 * that is in it, so that a function's version or an image is never that of another list of clusters.
 * @returns the folder
 */
export function stageBundle(
  scope: Construct,
  bundle: string,
  files: Readonly<Record<string, string>>,
): string {
  if (Object.keys(files).length === 0) return bundle
  const { assetOutdir = '' } = Stage.of(scope) ?? {}
  const hash = createHash('sha256').update(FileSystem.fingerprint(bundle)).update(JSON.stringify(files))
  // Without a dot: CDK would take what follows it for the ending of a file.
  const folder = join(assetOutdir, `bundle-${hash.digest('hex').slice(0, 32)}`)
  if (existsSync(folder)) return folder
  // Whole or not at all: an app that was ended half-way may be run again.
  const part = mkdtempSync(join(assetOutdir, 'bundle-part-'))
  chmodSync(part, 0o755)
  cpSync(bundle, part, { recursive: true })
  // Readable by the user of the image and of a function, regardless of the umask at synth.
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(part, name), text)
    chmodSync(join(part, name), 0o644)
  }
  renameSync(part, folder)
  return folder
}
