import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ensureBinaries } from './binaries.ts'
import { freePort } from './free-port.ts'
import { type Checkout, openCheckout } from './terminals.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A word of a page that a reader replaces. */
const PLACEHOLDER = /(?<=[ /])(?:NAME|NAMESPACE|URL|[A-F])(?=[ /]|$)/
/** Clusters and settings of the scene; the grant is the one that a deployment gives its canary. */
const ENVIRONMENT = `export KUBECONFIG=eu-1.kubeconfig:us-1.kubeconfig
export SLICEFLOW_ALLOWED_ADDRESSES='*/sliceflow-canary=192.0.2.0/24'`
const SLICEFLOW = 'npm run -s sliceflow --'

/** Returns the commands of kubectl and of Sliceflow in the runbooks, each once. */
function commands(): string[] {
  const texts = globSync('infra/runbooks/*.md', { cwd: ROOT }).map((page) =>
    readFileSync(join(ROOT, page), 'utf8'),
  )
  const found = texts.flatMap((text) =>
    [...text.matchAll(/`((?:kubectl|npm run -s sliceflow --) [^`\n]+)`/g)].map(([, command = '']) => command),
  )
  const isApplied = (command: string): boolean => command.includes('kubectl apply')
  // What the pages read is applied before.
  return [...new Set(found)].toSorted((a, b) => Number(isApplied(b)) - Number(isApplied(a)))
}

/** Service of the scene, which both clusters export. */
const SERVICE = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default, annotations: { sliceflow.dev/selector: app=web } }
spec: { ports: [{ name: http, port: 80, targetPort: 8080 }] }
---
apiVersion: multicluster.x-k8s.io/v1beta1
kind: ServiceExport
metadata: { name: web, namespace: default }
`

/** Opens two clusters of one set, and a run that has imported the Service. */
async function openScene(): Promise<{ readonly checkout: Checkout; readonly relay: string }> {
  const { kubectl } = await ensureBinaries()
  if (kubectl === undefined) throw new Error('KUBEBUILDER_ASSETS has no kubectl: install it there')
  const checkout = await openCheckout(kubectl)
  const port = await freePort()
  for (const name of ['eu-1', 'us-1'])
    await checkout.type(`${SLICEFLOW} control-plane --name ${name} --kubeconfig-out ${name}.kubeconfig`)
  await checkout.type(`${ENVIRONMENT}
for context in eu-1 us-1; do
  ${SLICEFLOW} crds --fleet | kubectl --context $context apply -f -
  kubectl --context $context wait --for=condition=Established crd --all
  kubectl --context $context apply -f - <<'END'
${SERVICE}
END
done`)
  await checkout.type(
    `${ENVIRONMENT}
${SLICEFLOW} run ${CONTEXTS} --fleet --metrics-port ${port}`,
  )
  return { checkout, relay: `http://127.0.0.1:${port}` }
}

const CONTEXTS = '--context eu-1 --context us-1'

describe('the commands of the runbooks', () => {
  it('do what they say on two clusters of a set', async () => {
    const { checkout, relay } = await openScene()
    const type = (command: string) => checkout.type(`${ENVIRONMENT}\n${command}`)
    const imports = 'kubectl --context us-1 get endpointslices --output name'
    await expect.poll(() => type(imports)).toContain('/derived-')
    const slice = (await type(`${imports} | head -1`)).trim().replace(/.*\//, '')
    const typed = commands()
    expect(typed.length).toBeGreaterThan(15)
    for (const command of typed) {
      const whole = command
        .replace('endpointslice NAME -n NAMESPACE', `endpointslice ${slice} -n default --context us-1`)
        .replace('NAMESPACE/NAME', 'default/web')
        .replace('--kubeconfig F', '--kubeconfig eu-1.kubeconfig')
        .replace('--context A', '--context eu-1')
        .replace('--context B', '--context us-1')
        .replace('--relay URL', `--relay ${relay}`)
        // A deployment's clusters are those of the contexts here.
        .replace('preflight --stack Sliceflow', `preflight ${CONTEXTS} --ignore-warnings`)
        .replace('--stack Sliceflow', `--relay ${relay}`)
      expect(whole).not.toMatch(PLACEHOLDER)
      // Nothing is held here, which the command says as a failure.
      if (/ release /.test(whole)) await expect(type(whole)).rejects.toThrow('is held')
      else await type(whole)
    }
  })
})
