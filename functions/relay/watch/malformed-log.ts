import type { MalformedObject } from '../../../shared/changes/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'

/** Maximum number of malformed objects that are logged by name: a broken cluster may send any number. */
const MAX_LOGGED = 100

/** Logs each malformed object once, and at most a hundred in a process; others are only counted. */
export function createMalformedLog(logger: Log, cluster: string): (object: MalformedObject) => void {
  const logged = new Set<string>()
  return ({ kind, namespace, name, fault }) => {
    const text = `${kind}/${namespace}/${name}: ${fault}`
    if (logged.size >= MAX_LOGGED || logged.has(text)) return
    logged.add(text)
    const last = logged.size === MAX_LOGGED && { note: 'further ones are only counted' }
    logger.warn(
      { cluster, kind, namespace, name, fault, ...last },
      'an object of the cluster is malformed: it counts as absent until it is fixed',
    )
  }
}
