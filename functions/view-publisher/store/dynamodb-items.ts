import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type KeyText, keyText, type ServiceKey } from '../../../shared/changes/index.ts'

type Item = Record<string, AttributeValue>

/** The item that says how things stand with a key. */
export interface Head {
  readonly version: number
  readonly isLive: boolean
  readonly isSent: boolean
  readonly content?: Uint8Array | undefined
  /** Chunks of the content, if it does not stand in the head itself. */
  readonly chunked?: { readonly id: string; readonly count: number } | undefined
}

export const PARTITION = (key: KeyText): Item => ({ key: { S: key } })
export const PART = (part: string): Item => ({ part: { S: part } })

/** @param expiresAt in seconds since 1970; undefined: never */
export function headItem(key: ServiceKey, head: Head, expiresAt: number | undefined): Item {
  const { cluster, namespace, service } = key
  const { version, isLive, isSent, content, chunked } = head
  return {
    ...PARTITION(keyText(key)),
    ...PART('head'),
    cluster: { S: cluster },
    namespace: { S: namespace },
    service: { S: service },
    version: { N: String(version) },
    live: { BOOL: isLive },
    sent: { BOOL: isSent },
    ...(content && { content: { B: content } }),
    ...(chunked && { chunksId: { S: chunked.id }, chunks: { N: String(chunked.count) } }),
    ...(expiresAt !== undefined && { expiresAt: { N: String(expiresAt) } }),
  }
}

export function headOf({ version, live, sent, content, chunksId, chunks }: Item): Head {
  return {
    version: Number(version?.N),
    isLive: live?.BOOL === true,
    isSent: sent?.BOOL === true,
    content: content?.B,
    chunked: chunksId?.S === undefined ? undefined : { id: chunksId.S, count: Number(chunks?.N) },
  }
}
