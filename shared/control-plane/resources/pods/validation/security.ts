import { duplicate, type FieldError, invalidValue, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, listAt, objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { descendingPathErrors, idErrors, oneOf, oneOfIfAny, presentAt } from './checks.ts'

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const SYSCTL = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`
/** Members of SecurityContext as Go has them: a message shows the whole of it. */
const MEMBERS =
  'Capabilities Privileged SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile AppArmorProfile'.split(
    ' ',
  )

/** Validates the security context of a container (upstream: ValidateSecurityContext). */
export function securityErrors(container: JsonObject, at: string, hostUsers: boolean): FieldError[] {
  const context = presentAt(container, 'securityContext')
  if (!context) return []
  const field = `${at}.securityContext`
  const unmasked = hostUsers && context.procMount === 'Unmasked'
  const why = '`hostUsers` must be false to use `Unmasked`'
  return [
    ...idErrors(context, field, ['runAsUser', 'runAsGroup']),
    ...oneOfIfAny(`${field}.procMount`, context.procMount, ['Default', 'Unmasked']),
    ...(unmasked ? [invalidValue(`${field}.procMount`, 'Unmasked', why)] : []),
    ...seccompErrors(context, field),
    ...escalationErrors(context, field),
    ...appArmorErrors(context, field),
  ]
}

/** Validates the security context of a pod (upstream: validatePodSpecSecurityContext). */
export function podSecurityErrors(spec: JsonObject): FieldError[] {
  const context = presentAt(spec, 'securityContext') ?? {}
  const at = 'spec.securityContext'
  const groups = Object.fromEntries(
    listAt(context, 'supplementalGroups').map((group, index) => [`supplementalGroups[${index}]`, group]),
  )
  const shared = spec.shareProcessNamespace === true && spec.hostPID === true
  return [
    ...idErrors(context, at, ['fsGroup', 'runAsUser', 'runAsGroup']),
    ...idErrors(groups, at, Object.keys(groups)),
    ...(shared
      ? [
          invalidValue(
            `${at}.shareProcessNamespace`,
            true,
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : []),
    ...sysctlErrors(context, `${at}.sysctls`),
    ...oneOfIfAny(`${at}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']),
    ...seccompErrors(context, at),
    ...appArmorErrors(context, at),
    ...oneOfIfAny(`${at}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']),
  ]
}

function seccompErrors(context: JsonObject, at: string): FieldError[] {
  const profile = presentAt(context, 'seccompProfile')
  if (!profile) return []
  const field = `${at}.seccompProfile`
  const { type, localhostProfile } = profile
  const local = `${field}.localhostProfile`
  if (type !== 'Localhost') {
    const why = 'can only be set when seccomp type is Localhost'
    const isSet = localhostProfile !== undefined
    return [
      ...(type === undefined
        ? [required(`${field}.type`, 'type is required when seccompProfile is set')]
        : oneOf(`${field}.type`, type, PROFILES)),
      ...(isSet ? [invalidValue(local, goStruct(profile, ['Type', 'LocalhostProfile']), why)] : []),
    ]
  }
  return localhostProfile === undefined
    ? [required(local, 'must be set when seccomp type is Localhost')]
    : descendingPathErrors(local, stringAt(profile, 'localhostProfile'))
}

function appArmorErrors(context: JsonObject, at: string): FieldError[] {
  const profile = presentAt(context, 'appArmorProfile')
  return profile ? oneOfIfAny(`${at}.appArmorProfile.type`, profile.type, PROFILES) : []
}

function escalationErrors(context: JsonObject, at: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return []
  const added = stringsAt(presentAt(context, 'capabilities'), 'add')
  const why = [
    ...(context.privileged === true ? ['`privileged` to true'] : []),
    ...(added.includes('CAP_SYS_ADMIN') ? ['`capabilities.Add` CAP_SYS_ADMIN'] : []),
  ]
  return why.map((what) =>
    invalidValue(
      at,
      goStruct(context, MEMBERS),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    ),
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

function sysctlErrors(context: JsonObject, at: string): FieldError[] {
  const names = new Set<string>()
  return objectsAt(context, 'sysctls').flatMap((sysctl, index) => {
    const field = `${at}[${index}].name`
    const name = stringAt(sysctl, 'name')
    if (name === '') return [required(field)]
    if (name.length > 253 || !new RegExp(SYSCTL).test(name)) {
      return [invalidValue(field, name, `must have at most 253 characters and match regex ${SYSCTL}`)]
    }
    const repeated = names.has(name)
    names.add(name)
    return repeated ? [duplicate(field, name)] : []
  })
}
