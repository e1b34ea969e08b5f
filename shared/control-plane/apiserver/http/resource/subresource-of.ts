import type { Endpoint, Subresource } from '../../registry/definition/resource-definition.ts'

/** Returns the subresource of a path below an object; undefined if the resource has none of that name. */
export function subresourceOf(
  { definition }: Pick<Endpoint, 'definition'>,
  name: string,
): Subresource | undefined {
  const { subresources = {}, hasStatus } = definition
  if (Object.hasOwn(subresources, name)) return subresources[name]
  return name === 'status' && hasStatus ? STATUS : undefined
}

/** `/status`: takes the status and the metadata, leaves everything else. */
const STATUS: Subresource = {
  kind: '',
  verbs: ['get', 'patch', 'update'],
  merge: (submitted, stored) => {
    const { status, ...rest } = stored
    return {
      ...rest,
      metadata: submitted.metadata,
      ...(submitted.status === undefined ? {} : { status: submitted.status }),
    }
  },
}
