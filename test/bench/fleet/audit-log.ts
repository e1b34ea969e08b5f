import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { SLICEFLOW_USER } from '../../end-to-end/cluster.ts'

/** One answered request of Sliceflow's user. */
export interface AuditedRequest {
  /** `get`, `list`, `watch`, `create`, `update`, `patch` or `delete`. */
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The path with its query. */
  readonly uri: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface AuditLog {
  /** Reads the requests that were answered since the last call, or the start. */
  read(): Promise<AuditedRequest[]>
}

interface AuditEvent {
  readonly user: { readonly username: string }
  readonly verb: string
  readonly requestURI: string
  readonly stageTimestamp: string
  readonly objectRef?: {
    readonly resource?: string
    readonly namespace?: string
    readonly name?: string
    readonly subresource?: string
  }
}

/** Returns flags of kube-apiserver: a line a request of Sliceflow's user, without the objects. */
export async function auditFlags(folder: string, log: string): Promise<string[]> {
  const policy = join(folder, 'audit-policy.yaml')
  const rules = [{ level: 'Metadata', users: [SLICEFLOW_USER] }, { level: 'None' }]
  const omitStages = ['RequestReceived', 'ResponseStarted', 'Panic']
  await writeFile(policy, stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages, rules }))
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=blocking']
}

export function openAuditLog(path: string): AuditLog {
  let position = 0
  let rest = ''
  return {
    async read() {
      await using file = await open(path, 'a+')
      const { size } = await file.stat()
      const { buffer } = await file.read({ buffer: Buffer.alloc(size - position), position })
      position = size
      const lines = (rest + buffer.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      return lines
        .map((line): AuditEvent => JSON.parse(line))
        .filter(({ user }) => user.username === SLICEFLOW_USER)
        .map(requestOf)
    },
  }
}

const requestOf = ({ verb, requestURI, stageTimestamp, objectRef }: AuditEvent): AuditedRequest => ({
  verb,
  resource: objectRef?.resource ?? '',
  namespace: objectRef?.namespace ?? '',
  name: objectRef?.name ?? '',
  subresource: objectRef?.subresource ?? '',
  uri: requestURI,
  at: Date.parse(stageTimestamp),
})
