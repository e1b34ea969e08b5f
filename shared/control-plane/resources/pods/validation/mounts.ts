import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateDescendingPath } from './checks.ts'

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']

/** Validates a container's mounts (ValidateVolumeMounts). The path of an error below a mount has no index. */
export function validateMounts(container: Field, volumes: ReadonlySet<string>): void {
  const list = container.child('volumeMounts')
  const paths = new Set<string>()
  const isPrivileged = container.child('securityContext').object.privileged === true
  for (const mount of list.items()) {
    const [name, path] = [mount.child('name'), mount.child('mountPath')]
    name.notEmpty()
    if (!volumes.has(name.text)) name.notFound()
    path.notEmpty()
    if (paths.has(path.text)) path.invalid('must be unique', path.text)
    paths.add(path.text)
    validatePart(mount, list.path)
    validatePropagation(mount.child('mountPropagation').as(`${list.path}.mountPropagation`), isPrivileged)
  }
}

function validatePart(mount: Field, list: string): void {
  const [path, expression] = [mount.child('subPath'), mount.child('subPathExpr')]
  validateDescendingPath(path.as(`${list}.subPath`))
  if (path.text !== '') expression.ifFilled?.invalid('subPathExpr and subPath are mutually exclusive')
  validateDescendingPath(expression.as(`${list}.subPathExpr`))
}

function validatePropagation(propagation: Field, isPrivileged: boolean): void {
  if (propagation.text === 'Bidirectional' && !isPrivileged)
    propagation.forbidden('Bidirectional mount propagation is available only to privileged containers')
  else propagation.ifSet?.oneOf(PROPAGATIONS)
}
