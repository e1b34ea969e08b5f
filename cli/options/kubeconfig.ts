import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Option } from 'commander'
import type { KubeconfigFiles } from '../../shared/kubernetes/index.ts'
import type { Flag } from './flags.ts'

/** Names the files with the clusters; those that are found without the flag are its default. */
export const kubeconfigFlag: Flag<KubeconfigFiles> = {
  option() {
    const files = kubeconfigFiles(process.env)
    return new Option(
      '--kubeconfig <file>',
      'kubeconfig with the clusters; may be repeated, and the first file that has a name counts',
    )
      .argParser((file: string, before: KubeconfigFiles) => (before === files ? [file] : [...before, file]))
      .default(files, 'the files in $KUBECONFIG, ~/.kube/config, or the pod’s service account')
  },
}

/** Returns the files if flags name them; undefined if they are those that every command finds itself. */
export function namedKubeconfigs(files: KubeconfigFiles): KubeconfigFiles | undefined {
  const found = kubeconfigFiles(process.env)
  return files.length === found.length && files.every((file, index) => file === found[index])
    ? undefined
    : files
}

/**
 * Finds the files as kubectl does: of those that KUBECONFIG lists each may be absent.
 * @param home finds the user's folder; may throw where there is none
 */
export function kubeconfigFiles(
  env: Readonly<Record<string, string | undefined>>,
  home: () => string = homedir,
): KubeconfigFiles {
  const listed = [...new Set((env.KUBECONFIG ?? '').split(delimiter))].filter((file) => file !== '')
  const files = listed.length > 0 ? listed : [join(homeOr('~', home), '.kube', 'config')]
  const present = files.filter((file) => existsSync(file))
  if (present.length > 0) return present
  // Reported as absent when they are read.
  return env.KUBERNETES_SERVICE_HOST === undefined ? files : []
}

/**
 * Returns a path below the home folder, or none. A user who is known by number alone, as in containers, is in
 * no list of users, and Node.js finds no home.
 */
function homeOr(nowhere: string, home: () => string): string {
  try {
    return home()
  } catch {
    return nowhere
  }
}
