import { join } from 'node:path'
import { type Child, type ChildProcesses, untilReady } from './child-processes.ts'
import { freePort } from './free-port.ts'

export interface Etcd {
  readonly url: string
  readonly child: Child
  /** Forgets every revision before this one, as the API server does every 5 minutes. */
  compact(revision: string): Promise<void>
}

/** etcd on a free loopback port. Data is not synced to disk: it is fast and gone with the machine, which suits tests. */
export async function startEtcd(processes: ChildProcesses, program: string, folder: string): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`
  const child = await processes.start(
    program,
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    join(folder, 'etcd.log'),
  )
  await untilReady('etcd', child, () => answers(`${url}/readyz`))
  return {
    url,
    child,
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
