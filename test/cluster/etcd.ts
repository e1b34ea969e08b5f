import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Child, type ChildProcesses, untilReady } from './child-processes.ts'
import { freePort } from './free-port.ts'

interface Etcd {
  readonly url: string
  /** Another one after `setBack`. */
  readonly child: Child
  /** Forgets every revision before this one, as the API server does every 5 minutes. */
  compact(revision: string): Promise<void>
  /** Copies its data as it is now, in place of an earlier copy. */
  snapshot(): Promise<void>
  /**
   * Ends it and starts it with the data of the snapshot: what was written since never was. Whoever has
   * connections must end first.
   */
  setBack(): Promise<void>
}

/**
 * Starts etcd on a free loopback port. Data is not synced to disk, which is fast and good enough for tests.
 */
export async function startEtcd(processes: ChildProcesses, program: string, folder: string): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`
  const data = join(folder, 'etcd')
  const copy = join(folder, 'etcd-snapshot')
  const start = async (): Promise<Child> => {
    const started = await processes.start(
      program,
      [
        `--data-dir=${data}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        '--listen-peer-urls=http://127.0.0.1:0',
        '--unsafe-no-fsync',
        '--log-level=warn',
      ],
      join(folder, 'etcd.log'),
    )
    await untilReady('etcd', started, () => answers(`${url}/readyz`))
    return started
  }
  let child = await start()
  return {
    url,
    get child() {
      return child
    },
    async snapshot() {
      await rm(copy, { recursive: true, force: true })
      child.kill('SIGSTOP')
      try {
        await cp(data, copy, { recursive: true })
      } finally {
        child.kill('SIGCONT')
      }
    },
    async setBack() {
      child.kill('SIGKILL')
      await child.ended
      await rm(data, { recursive: true })
      await cp(copy, data, { recursive: true })
      child = await start()
    },
    async compact(revision) {
      const response = await fetch(`${url}/v3/kv/compaction`, {
        method: 'POST',
        body: JSON.stringify({ revision, physical: true }),
      })
      if (!response.ok) throw new Error(`etcd refused to compact ${revision}: ${await response.text()}`)
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  )
