import type { KubeObject } from '../../../apimachinery/objects.ts'
import { type DecodedKind, decodeObject } from '../decode.ts'
import type { WriteEndpoint } from '../definition/resource-definition.ts'
import type { WriteContext } from '../definition/write-context.ts'
import { Admission } from './chain.ts'
import type { AdmissionOperation } from './types.ts'

/** Target of a write. */
interface AdmissionTarget {
  readonly endpoint: WriteEndpoint
  /** Kind as which objects are read; default: the endpoint's own. */
  readonly kind?: DecodedKind | undefined
  readonly subresource?: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' }

/** Returns the admission of a write; undefined if no plugin wants to see it. */
export function admissionOf(
  operation: AdmissionOperation,
  target: AdmissionTarget,
  context: WriteContext,
): Admission | undefined {
  const { admission, user, dryRun, objects, authorize, now, warnings } = context
  if (!admission || admission.plugins.length === 0) return undefined
  const { definition } = target.endpoint
  const { group, version, kind } = target.kind ?? definition
  const { name = '', namespace = '', subresource = '' } = target
  const ofNamespace = definition.group === '' && definition.plural === 'namespaces'
  const found = new Admission(
    admission.plugins,
    {
      operation,
      kind: { group, version, kind },
      resource: { group: definition.group, version: definition.version, resource: definition.plural },
      subresource,
      namespace: ofNamespace ? name : namespace,
      name,
      user,
      dryRun,
      options: { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1', ...admission.options },
    },
    {
      objects,
      authorize,
      now,
      warn: (text) => warnings.push(text),
      annotate: admission.annotate,
      lifetime: admission.lifetime,
      decode: (value): KubeObject => decodeObject(target.kind ?? definition, value),
    },
  )
  return found.mutates || found.validates ? found : undefined
}
