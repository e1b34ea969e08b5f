import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DeploymentError } from '../../settings/index.ts'

/** Folders of what runs on AWS, each bundled into files that need no packages. */
export interface Bundles {
  readonly reconcile: string
  readonly audit: string
  readonly viewPublisher: string
  /** The context of the relay's image: the bundle and its Dockerfile. */
  readonly relay: string
}

const FILES = {
  reconcile: 'index.mjs',
  audit: 'index.mjs',
  viewPublisher: 'index.mjs',
  relay: 'main.mjs',
} as const

/** Finds the bundles of `npm run build` in the package. @throws DeploymentError if they are missing */
export function packagedBundles(): Bundles {
  // From dist/infra/constructs of the package, where all constructs are one file; the sources have none, so
  // that nothing stale is deployed.
  return checkBundles(bundlesIn(join(import.meta.dirname, '..', '..', 'bundles')))
}

/** Returns the folders of what `npm run build`, or a synth in a checkout, bundles into a folder. */
export const bundlesIn = (folder: string): Bundles => ({
  reconcile: join(folder, 'reconcile'),
  audit: join(folder, 'audit'),
  viewPublisher: join(folder, 'view-publisher'),
  relay: join(folder, 'relay'),
})

/** @throws DeploymentError naming the file that is missing */
export function checkBundles(bundles: Bundles): Bundles {
  for (const name of Object.keys(FILES) as (keyof Bundles)[]) {
    const file = join(bundles[name], FILES[name])
    if (existsSync(file)) continue
    throw new DeploymentError(
      `bundles.${name}: ${file} is missing; run \`npm run build\`, or \`npm run synth\` in a checkout`,
    )
  }
  return bundles
}
