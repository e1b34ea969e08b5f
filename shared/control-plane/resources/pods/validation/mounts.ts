import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundField,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import { descendingPathErrors, oneOfIfAny } from './checks.ts'

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']

/** Validates a container's mounts (ValidateVolumeMounts). Errors below a mount do not tell which one. */
export function mountErrors(container: JsonObject, at: string, volumes: ReadonlySet<string>): FieldError[] {
  const list = `${at}.volumeMounts`
  const paths = new Set<string>()
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const field = `${list}[${index}]`
    const [name, path] = [stringAt(mount, 'name'), stringAt(mount, 'mountPath')]
    const repeated = paths.has(path)
    paths.add(path)
    return [
      ...(name === '' ? [required(`${field}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFoundField(`${field}.name`, name)]),
      ...(path === '' ? [required(`${field}.mountPath`)] : []),
      ...(repeated ? [invalidValue(`${field}.mountPath`, path, 'must be unique')] : []),
      ...partErrors(mount, list, field),
      ...propagationErrors(mount, container, list),
    ]
  })
}

function partErrors(mount: JsonObject, list: string, field: string): FieldError[] {
  const [path, expression] = [stringAt(mount, 'subPath'), stringAt(mount, 'subPathExpr')]
  const both = 'subPathExpr and subPath are mutually exclusive'
  return [
    ...descendingPathErrors(`${list}.subPath`, path),
    ...(path !== '' && expression !== '' ? [invalidValue(`${field}.subPathExpr`, expression, both)] : []),
    ...descendingPathErrors(`${list}.subPathExpr`, expression),
  ]
}

function propagationErrors(mount: JsonObject, container: JsonObject, list: string): FieldError[] {
  const { mountPropagation } = mount
  const field = `${list}.mountPropagation`
  const needsPrivilege =
    mountPropagation === 'Bidirectional' && objectAt(container, 'securityContext').privileged !== true
  return needsPrivilege
    ? [forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers')]
    : oneOfIfAny(field, mountPropagation, PROPAGATIONS)
}
