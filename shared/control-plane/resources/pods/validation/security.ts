import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateDescendingPath, validateId } from './checks.ts'

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const SYSCTL = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`
/** Members of SecurityContext as Go has them: a message shows the whole of it. */
const MEMBERS =
  'Capabilities Privileged SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile AppArmorProfile'.split(
    ' ',
  )

/** Validates the security context of a container (upstream: ValidateSecurityContext). */
export function validateSecurity(context: Field, hostUsers: boolean): void {
  if (!context.ifObject) return
  const mount = context.child('procMount')
  validateId(context.child('runAsUser'))
  validateId(context.child('runAsGroup'))
  mount.ifSet?.oneOf(['Default', 'Unmasked'])
  if (hostUsers && mount.text === 'Unmasked') mount.invalid('`hostUsers` must be false to use `Unmasked`')
  validateSeccomp(context.child('seccompProfile'))
  validateEscalation(context)
  validateAppArmor(context)
}

/** Validates the security context of a pod (upstream: validatePodSpecSecurityContext). */
export function validatePodSecurity(spec: Field): void {
  const context = spec.child('securityContext')
  for (const member of ['fsGroup', 'runAsUser', 'runAsGroup']) validateId(context.child(member))
  for (const group of context.child('supplementalGroups').items()) validateId(group)
  if (spec.object.shareProcessNamespace === true && spec.object.hostPID === true)
    context
      .child('shareProcessNamespace')
      .invalid('ShareProcessNamespace and HostPID cannot both be enabled', true)
  validateSysctls(context.child('sysctls'))
  context.child('fsGroupChangePolicy').ifSet?.oneOf(['Always', 'OnRootMismatch'])
  validateSeccomp(context.child('seccompProfile'))
  validateAppArmor(context)
  context.child('supplementalGroupsPolicy').ifSet?.oneOf(['Merge', 'Strict'])
}

function validateSeccomp(profile: Field): void {
  if (!profile.ifObject) return
  const [type, local] = [profile.child('type'), profile.child('localhostProfile')]
  if (type.text === 'Localhost') {
    if (local.ifSet) validateDescendingPath(local)
    else local.required('must be set when seccomp type is Localhost')
    return
  }
  type.notEmpty('type is required when seccompProfile is set')?.oneOf(PROFILES)
  local.ifSet?.invalid(
    'can only be set when seccomp type is Localhost',
    goStruct(profile.object, ['Type', 'LocalhostProfile']),
  )
}

function validateAppArmor(context: Field): void {
  context.child('appArmorProfile', 'type').ifSet?.oneOf(PROFILES)
}

function validateEscalation(context: Field): void {
  if (context.object.allowPrivilegeEscalation !== false) return
  const added = context.child('capabilities', 'add').strings
  const causes = [
    ...(context.object.privileged === true ? ['`privileged` to true'] : []),
    ...(added.includes('CAP_SYS_ADMIN') ? ['`capabilities.Add` CAP_SYS_ADMIN'] : []),
  ]
  for (const cause of causes)
    context.invalid(
      `cannot set \`allowPrivilegeEscalation\` to false and ${cause}`,
      goStruct(context.object, MEMBERS),
    )
}

/** Returns an object with the members of a Go struct, by their names in Go. */
function goStruct(value: JsonObject, members: readonly string[]): JsonObject {
  const byName = new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]))
  return Object.fromEntries(members.map((name) => [name, goValue(name, byName.get(name.toLowerCase()))]))
}

function goValue(name: string, value: JsonValue | undefined): JsonValue {
  if (!isObject(value)) return value ?? null
  const members = name === 'Capabilities' ? ['Add', 'Drop'] : Object.keys(value).map(capitalized)
  return goStruct(value, members)
}

const capitalized = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`

function validateSysctls(sysctls: Field): void {
  const names = new Set<string>()
  for (const name of sysctls.items().map((sysctl) => sysctl.child('name'))) {
    if (!name.notEmpty()) continue
    if (name.text.length <= 253 && new RegExp(SYSCTL).test(name.text)) name.unique(names)
    else name.invalid(`must have at most 253 characters and match regex ${SYSCTL}`)
  }
}
