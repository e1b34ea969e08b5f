import { ownMember } from '../apimachinery/json/values.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import type {
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
} from '../apiserver/registry/admission/types.ts'
import { apiVersionOf } from '../apiserver/registry/definition/names.ts'
import type { Endpoint, ResourceDefinition } from '../apiserver/registry/definition/resource-definition.ts'
import type { Registry } from '../apiserver/registry/registry.ts'

/** A resource as which a request can be treated: its own, or another one with the same objects. */
export interface SeenAs {
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly definition: ResourceDefinition
}

/** Returns other resources with the same objects and subresource: versions, another group (`events`). */
export function equivalentsOf(request: AdmissionRequest, registry: Registry): SeenAs[] {
  const { group, version, resource } = request.resource
  const asked = registry.endpoint(group, version, resource)
  if (!asked) return []
  return registry.endpoints
    .filter((endpoint) => endpoint !== asked && endpoint.resource === asked.resource)
    .flatMap(({ definition }) => seenAs(definition, request.subresource))
}

function seenAs(definition: ResourceDefinition, subresource: string): SeenAs[] {
  const kind = kindOf(definition, subresource)
  const { group, version, plural } = definition
  return kind ? [{ kind, resource: { group, version, resource: plural }, definition }] : []
}

/** Returns the kind; undefined if the resource does not have the subresource. */
function kindOf(
  { group, version, kind, subresources = {}, hasStatus }: ResourceDefinition,
  subresource: string,
): GroupVersionKind | undefined {
  if (subresource === '') return { group, version, kind }
  const found = ownMember(subresources, subresource)
  if (found) {
    return { group: found.group ?? group, version: found.version ?? version, kind: found.kind || kind }
  }
  return subresource === 'status' && hasStatus ? { group, version, kind } : undefined
}

/** Converts an object between versions of a resource. One with a kind of its own (Scale) stays as it is. */
export async function convertObject(
  object: KubeObject,
  from: Endpoint | undefined,
  to: Endpoint | undefined,
): Promise<KubeObject> {
  const isOwnKind = from && object.apiVersion === apiVersionOf(from.definition)
  if (!from || !to || from === to || !isOwnKind) return object
  return await fromStorage(await toStorage(object, from), to)
}

async function toStorage(object: KubeObject, { definition, converted }: Endpoint): Promise<KubeObject> {
  if (converted) return await converted.write(object)
  return (definition.codec ?? definition.shares)?.toStorage(object) ?? object
}

async function fromStorage(object: KubeObject, { definition, converted }: Endpoint): Promise<KubeObject> {
  if (converted) return await converted.read(object)
  return (definition.codec ?? definition.shares)?.fromStorage(object) ?? object
}
