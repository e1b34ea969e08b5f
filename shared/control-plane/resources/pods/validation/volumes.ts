import { labelName } from '../../../../kubernetes/index.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { validateDescendingPath, validateKind, validateNoBacksteps } from './checks.ts'

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
export function validateVolumes(volumes: Field): ReadonlySet<string> {
  const names = new Set<string>()
  for (const volume of volumes.items()) {
    const before = volume.errors.length
    const name = volume.child('name')
    validateKind(volume, 'volume', KINDS, CHECKS)
    name.notEmpty()?.follows(labelName)
    if (names.has(name.text)) name.duplicate()
    if (volume.errors.length === before) names.add(name.text)
  }
  return names
}

const CHECKS: Readonly<Record<string, (source: Field) => void>> = {
  hostPath: (source) => {
    const path = source.child('path').notEmpty()
    if (!path) return
    validateNoBacksteps(path)
    source.child('type').ifSet?.oneOf(HOST_PATH_TYPES)
  },
  secret: (source) => validateFiles(source, 'secretName'),
  configMap: (source) => validateFiles(source, 'name'),
  persistentVolumeClaim: (source) => source.child('claimName').notEmpty(),
  nfs: (source) => {
    const path = source.child('path')
    source.child('server').notEmpty()
    path.notEmpty()
    if (!path.text.startsWith('/')) path.invalid('must be an absolute path', path.text)
  },
}

/** Validates the name of what a volume is of, and the mode and the paths of its files. */
function validateFiles(source: Field, name: string): void {
  source.child(name).notEmpty()
  validateMode(source.child('defaultMode'))
  for (const item of source.child('items').items()) {
    item.child('key').notEmpty()
    const path = item.child('path').notEmpty()
    if (path) validateDescendingPath(path)
    if (path && /^\.\.[^/]|^\.\.$/.test(path.text)) path.invalid("must not start with '..'")
    validateMode(item.child('mode'))
  }
}

function validateMode(mode: Field): void {
  mode.between(0, LARGEST_MODE, MODE)
}
