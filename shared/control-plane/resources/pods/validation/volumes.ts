import { labelName } from '../../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { numberAt, objectsAt, stringAt } from '../../../apimachinery/json/values.ts'
import { backstepErrors, descendingPathErrors, oneOfIfAny, presentAt, ruledAndRequired } from './checks.ts'

/** Kinds of volumes, in the order in which a second one is noticed. */
const KINDS =
  'emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc azureFile configMap vsphereVolume photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral image'.split(
    ' ',
  )
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]
const LARGEST_MODE = 0o777
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive'

/** Validates a pod's volumes, and returns the names that can be mounted (upstream: ValidateVolumes). */
export function volumesOf(spec: JsonObject): { errors: FieldError[]; names: ReadonlySet<string> } {
  const names = new Set<string>()
  const errors = objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `spec.volumes[${index}]`
    const name = stringAt(volume, 'name')
    const wrong = [
      ...sourceErrors(volume, at),
      ...ruledAndRequired(`${at}.name`, name, labelName),
      ...(names.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ]
    if (wrong.length === 0) names.add(name)
    return wrong
  })
  return { errors, names }
}

function sourceErrors(volume: JsonObject, at: string): FieldError[] {
  const [kind, ...others] = KINDS.filter((member) => presentAt(volume, member))
  if (kind === undefined) return [required(at, 'must specify a volume type')]
  const source = presentAt(volume, kind) ?? {}
  return [
    ...(CHECKS[kind]?.(source, `${at}.${kind}`) ?? []),
    ...others.map((other) => forbiddenField(`${at}.${other}`, 'may not specify more than 1 volume type')),
  ]
}

type Check = (source: JsonObject, at: string) => FieldError[]

const CHECKS: Readonly<Record<string, Check | undefined>> = {
  hostPath: (source, at) => {
    const path = stringAt(source, 'path')
    if (path === '') return [required(`${at}.path`)]
    return [...backstepErrors(`${at}.path`, path), ...oneOfIfAny(`${at}.type`, source.type, HOST_PATH_TYPES)]
  },
  secret: (source, at) => [...present(source, at, 'secretName'), ...fileErrors(source, at)],
  configMap: (source, at) => [...present(source, at, 'name'), ...fileErrors(source, at)],
  persistentVolumeClaim: (source, at) => present(source, at, 'claimName'),
  nfs: (source, at) => {
    const path = stringAt(source, 'path')
    return [
      ...present(source, at, 'server'),
      ...present(source, at, 'path'),
      ...(path.startsWith('/') ? [] : [invalidValue(`${at}.path`, path, 'must be an absolute path')]),
    ]
  },
}

const present = (source: JsonObject, at: string, member: string): FieldError[] =>
  stringAt(source, member) === '' ? [required(`${at}.${member}`)] : []

/** Validates the mode and the paths of the files in a volume. */
function fileErrors(source: JsonObject, at: string): FieldError[] {
  return [
    ...modeErrors(source, 'defaultMode', at),
    ...objectsAt(source, 'items').flatMap((item, index) => {
      const field = `${at}.items[${index}]`
      return [
        ...present(item, field, 'key'),
        ...itemPathErrors(item, field),
        ...modeErrors(item, 'mode', field),
      ]
    }),
  ]
}

function itemPathErrors(item: JsonObject, at: string): FieldError[] {
  const path = stringAt(item, 'path')
  if (path === '') return [required(`${at}.path`)]
  const isHidden = path.startsWith('..') && !path.startsWith('../')
  return [
    ...descendingPathErrors(`${at}.path`, path),
    ...(isHidden ? [invalidValue(`${at}.path`, path, "must not start with '..'")] : []),
  ]
}

function modeErrors(parent: JsonObject, member: string, at: string): FieldError[] {
  const mode = numberAt(parent, member) ?? 0
  return mode < 0 || mode > LARGEST_MODE ? [invalidValue(`${at}.${member}`, mode, MODE)] : []
}
