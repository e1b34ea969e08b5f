/**
 * Starts a control plane with everything that the command has, and prints what it has loaded, one a line:
 * names of packages, and files of this repository as `shared/…`. Run by start.test.ts in a process of its
 * own.
 */
import { registerHooks } from 'node:module'

const ROOT = new URL('../../../../', import.meta.url).href
const loaded = new Set<string>()
registerHooks({
  load(url, context, next) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
    if (name !== undefined) loaded.add(name)
    else if (url.startsWith(ROOT)) loaded.add(url.slice(ROOT.length))
    return next(url, context)
  },
})
// Only what is loaded from here on is seen.
const { CONTROLLERS, createControlPlane } = await import('../../index.ts')
const controlPlane = await createControlPlane({
  apis: { crds: true, apiServices: true },
  authorization: 'RBAC',
  controllers: CONTROLLERS,
})
await controlPlane.listen()
await controlPlane.close()
process.stdout.write([...loaded].join('\n'))
