import { invalid } from '../../../apimachinery/errors/factories.ts'
import { forbiddenField } from '../../../apimachinery/errors/field.ts'
import type { ApiError } from '../../../apimachinery/errors/status.ts'
import { isObject, objectAt, sameJson, stringAt } from '../../../apimachinery/json/values.ts'
import type { KubeObject } from '../../../apimachinery/objects.ts'
import type { RequestAttributes } from '../../../apiserver/registry/access.ts'
import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AdmissionRequest,
} from '../../../apiserver/registry/admission/types.ts'
import type { Registry } from '../../../apiserver/registry/registry.ts'

const GROUP = 'admissionregistration.k8s.io'
const SUPERUSERS = 'system:masters'
const NOTHING = { path: '', resourceRequest: true, subresource: '' }

/** Checks that a policy's writer may read what it reads as parameters, as upstream's strategies do. */
export function paramAccess(registry: Registry): AdmissionPlugin {
  return {
    name: 'ParamAccess',
    handles: (request) => isPolicy(request) && !request.user.groups.includes(SUPERUSERS),
    validate: (attributes) => {
      const { object, oldObject, kind } = attributes
      if (!object) return
      const refusal = kind.kind.endsWith('Binding')
        ? refusalOfRef(object, oldObject, attributes, registry)
        : refusalOfKind(object, oldObject, attributes, registry)
      if (refusal) throw refusal
    },
  }
}

function isPolicy({ kind: { group, kind }, subresource }: AdmissionRequest): boolean {
  return group === GROUP && subresource === '' && /AdmissionPolicy(Binding)?$/.test(kind)
}

function refusalOfKind(
  object: KubeObject,
  old: KubeObject | undefined,
  attributes: AdmissionAttributes,
  registry: Registry,
): ApiError | undefined {
  const { paramKind } = objectAt(object, 'spec')
  if (!isObject(paramKind) || sameJson(paramKind, objectAt(old, 'spec').paramKind)) return undefined
  const what = { ...resourceOf(paramKind, registry), verb: 'get', name: '*', namespace: '*' }
  if (isAllowed(what, attributes)) return undefined
  const { kind, apiVersion } = {
    kind: stringAt(paramKind, 'kind'),
    apiVersion: stringAt(paramKind, 'apiVersion'),
  }
  const why = `user ${userText(attributes)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
  return refused(object, 'spec.paramKind', why, attributes)
}

function refusalOfRef(
  object: KubeObject,
  old: KubeObject | undefined,
  attributes: AdmissionAttributes,
  registry: Registry,
): ApiError | undefined {
  const { paramRef } = objectAt(object, 'spec')
  if (!isObject(paramRef) || isSameRef(object, old)) return undefined
  const policies = `${attributes.kind.kind.replace('Binding', '').toLowerCase().slice(0, -1)}ies.${GROUP}`
  const policy = attributes.objects.get(policies, '', stringAt(objectAt(object, 'spec'), 'policyName'))
  const { paramKind } = objectAt(policy, 'spec')
  const name = stringAt(paramRef, 'name')
  const verb = name === '' ? 'list' : 'get'
  const what = { ...resourceOf(paramKind, registry), verb, name, namespace: stringAt(paramRef, 'namespace') }
  if (isAllowed(what, attributes)) return undefined
  return refused(object, 'spec.paramRef', refText(verb, object, policy, attributes), attributes)
}

function refText(
  verb: string,
  object: KubeObject,
  policy: KubeObject | undefined,
  attributes: AdmissionAttributes,
): string {
  const user = userText(attributes)
  const name = stringAt(objectAt(object, 'spec'), 'policyName')
  if (!policy) {
    return `unable to get policy ${name} to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`
  }
  return `user ${user} does not have "${verb}" permission on the object referenced by paramRef`
}

function isSameRef(object: KubeObject, old: KubeObject | undefined): boolean {
  const [next, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')]
  return sameJson(next.paramRef, before.paramRef) && next.policyName === before.policyName
}

/** Returns the resource of a kind; all resources if the kind is not known. */
function resourceOf(
  paramKind: unknown,
  registry: Registry,
): Pick<RequestAttributes, 'group' | 'version' | 'resource'> {
  if (!isObject(paramKind)) return { group: '*', version: '*', resource: '*' }
  const apiVersion = stringAt(paramKind, 'apiVersion')
  const [version = '', group = ''] = apiVersion.split('/').toReversed()
  const found = registry.endpointOfKind(apiVersion, stringAt(paramKind, 'kind'))
  return { group, version, resource: found?.definition.plural ?? '*' }
}

type Wanted = Omit<RequestAttributes, 'user' | 'path' | 'resourceRequest' | 'subresource'>

function isAllowed(what: Wanted, { authorize, user }: AdmissionAttributes): boolean {
  return authorize({ ...NOTHING, ...what, user }).allowed
}

/** Formats a user as Go prints one. */
function userText({ user: { username, uid = '', groups } }: AdmissionAttributes): string {
  return `&{${username} ${uid} [${groups.join(' ')}] map[]}`
}

function refused(object: KubeObject, field: string, why: string, { kind }: AdmissionAttributes): ApiError {
  return invalid(kind, object.metadata.name ?? '', [forbiddenField(field, why)])
}
