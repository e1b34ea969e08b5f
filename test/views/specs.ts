import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'

/** A spec that gives the walkthrough's views. */
export interface WalkthroughSpec {
  readonly name: string
  readonly path: string
  /** A view object for each port and address, or one for each port. */
  readonly form: 'endpoints' | 'endpoint lists'
}

const examples = new URL('../../examples/views/', import.meta.url).pathname

/**
 * Returns the project's own examples. If UPSTREAM_VIEW_SPECS names a folder with Δ-controller's two
 * EndpointSlice specs, those are added as they are.
 */
export function walkthroughSpecs(): WalkthroughSpec[] {
  const folder = env.UPSTREAM_VIEW_SPECS
  const own: WalkthroughSpec[] = [
    { name: 'endpoints.yaml', path: join(examples, 'endpoints.yaml'), form: 'endpoints' },
    { name: 'endpoint-lists.yaml', path: join(examples, 'endpoint-lists.yaml'), form: 'endpoint lists' },
  ]
  if (folder === undefined) return own
  return [
    ...own,
    upstreamSpec(folder, 'endpointslice-controller-spec.yaml', 'endpoints'),
    upstreamSpec(folder, 'endpointslice-controller-gather-spec.yaml', 'endpoint lists'),
  ]
}

function upstreamSpec(folder: string, file: string, form: WalkthroughSpec['form']): WalkthroughSpec {
  const path = join(folder, file)
  // Read here, so that a wrong folder is told before any server is started.
  readFileSync(path)
  return { name: `Δ-controller's ${file}`, path, form }
}
