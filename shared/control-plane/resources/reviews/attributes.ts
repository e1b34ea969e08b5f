import { isObject, type JsonObject, objectAt, stringAt } from '../../apimachinery/json/index.ts'
import type { RequestAttributes, User } from '../../apiserver/registry/index.ts'

/**
 * Returns the request that `spec.resourceAttributes` or `spec.nonResourceAttributes` of an access review asks
 * about.
 */
export function attributesOf(spec: JsonObject, user: User): RequestAttributes {
  if (isObject(spec.nonResourceAttributes)) {
    const { path, verb } = spec.nonResourceAttributes
    return { ...NOTHING, user, path: String(path ?? ''), verb: String(verb ?? ''), resourceRequest: false }
  }
  const asked = objectAt(spec, 'resourceAttributes')
  const text = (field: string): string => stringAt(asked, field)
  return {
    user,
    path: '',
    resourceRequest: true,
    verb: text('verb'),
    group: text('group'),
    version: text('version'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  }
}

const NOTHING = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' }
