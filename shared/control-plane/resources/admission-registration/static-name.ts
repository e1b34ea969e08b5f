import type { KubeObject } from '../../apimachinery/objects.ts'
import type { WriteContext } from '../../apiserver/registry/definition/write-context.ts'

/** Names of configurations that kube-apiserver may once read from files (KEP-5793). */
const STATIC_SUFFIX = '.static.k8s.io'

export function warnOfStaticName({ metadata: { name = '' } }: KubeObject, { warnings }: WriteContext): void {
  if (!name.endsWith(STATIC_SUFFIX)) return
  warnings.push(
    `metadata.name: names ending with ${JSON.stringify(STATIC_SUFFIX)} are reserved for static manifest-based configurations and cannot be managed via the API`,
  )
}
