import { beforeAll, expect, it } from 'vitest'
import { ensureBinaries } from './binaries.ts'
import { openCheckout, terminalsOf } from './terminals.ts'

let kubectl: string

beforeAll(async () => {
  const binaries = await ensureBinaries()
  if (binaries.kubectl === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl: install it there')
  kubectl = binaries.kubectl
})

interface Walk {
  readonly page: string
  readonly section?: string
  /** Number of terminals that the page opens. */
  readonly terminals: number
  /** Text that the last terminal prints in the end. */
  readonly prints: RegExp
}

const WALKS: readonly Walk[] = [
  {
    page: 'README.md',
    section: 'In two minutes',
    terminals: 3,
    prints: /^web-\w+ +IPv4 +8080 +10\.1\.0\.4 [\s\S]*web-0/m,
  },
  {
    page: 'examples/static-addresses/README.md',
    terminals: 3,
    prints: /^legacy-db-\w+ .* 10\.20\.0\.6,10\.20\.0\.7 /m,
  },
  {
    page: 'examples/set-based-selection/README.md',
    terminals: 3,
    prints: /^web-pods-\w+ .* 8080 +10\.1\.0\.4 /m,
  },
  {
    page: 'examples/operator-pods/README.md',
    terminals: 3,
    prints: /^db-primary-\w+ .* 5432 +10\.1\.0\.4 /m,
  },
  { page: 'examples/secondary-network/README.md', terminals: 3, prints: /^storage-\w+ .* 192\.168\.7\.4 /m },
  { page: 'examples/other-cluster/README.md', terminals: 4, prints: /^stock-\w+ .* 8080 +10\.1\.0\.4 /m },
  {
    page: 'shared/control-plane/README.md',
    terminals: 2,
    prints: /^endpointslices +discovery\.k8s\.io\/v1 /m,
  },
  { page: 'shared/control-plane/controllers/README.md', terminals: 2, prints: /^ready/m },
]

it.each(WALKS)('$page shows what its commands do', async ({ page, section, terminals, prints }) => {
  const scripts = await terminalsOf(page, section)
  expect(scripts).toHaveLength(terminals)
  const checkout = await openCheckout(kubectl)
  for (const script of scripts.slice(0, -1)) await checkout.type(script)
  // No person types as fast as this: a command whose object is not there yet runs again.
  await expect.poll(() => checkout.type(scripts.at(-1) ?? '')).toMatch(prints)
})
