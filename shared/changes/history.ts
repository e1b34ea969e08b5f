import { randomBytes } from 'node:crypto'

/**
 * Identifies the history of a cluster's API server, as far as one relay has followed it. Versions have an
 * order within one history only: a server that was restored from a backup gives out versions a second time,
 * for other contents. This is the one rule for that:
 * 1. A watcher finds out when it lists again: the list's version is below one that it has seen, or the server
 *    was away for long enough to have been restored. Then the relay renews the id. Lists and the reads that
 *    compare are quorum reads, so a replica whose cache lags is not taken for a restored server.
 * 2. A message names the id beside its versions. Versions of a message, and objects that a function has
 *    cached, count only for messages with the id under which they were cached.
 * 3. Keys of the sweep lane name no versions at all: everything is read.
 * A relay that starts has a new id, as it does not know what happened meanwhile.
 */
export class ClusterHistory {
  #id = newId()

  get id(): string {
    return this.#id
  }

  renew(): void {
    this.#id = newId()
  }
}

const ID_BYTES = 6
const newId = (): string => randomBytes(ID_BYTES).toString('base64url')
