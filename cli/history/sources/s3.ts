import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { awsClientOptions } from '../../../shared/proxy/index.ts'
import { decompress, HistoryError, type RecordingSource } from './files.ts'

/** Requested part of a recording, as far as the keys of its objects show. */
export interface Wanted {
  /** Absent: any. */
  readonly cluster?: string | undefined
  /** Milliseconds since the epoch; absent: from the first day on, and up to the last. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

const PARTITION = /^(.*\/)?([a-z]+)=([^/]*)\/$/
const DAY_MS = 86_400_000

/**
 * Reports whether a prefix may have something of it: one that ends with `day=2026-03-01/` or `cluster=NAME/`
 * has nothing of other days and clusters. What was recorded before midnight may have been handed over after
 * it, so a day more on either side is wanted.
 */
function isWanted(prefix: string, { cluster, since, until }: Wanted): boolean {
  const [, , name, value = ''] = PARTITION.exec(prefix) ?? []
  if (name === 'cluster') return cluster === undefined || decoded(value) === cluster
  if (name !== 'day') return true
  const day = Date.parse(value)
  if (Number.isNaN(day)) return true
  const isTooOld = since !== undefined && day + 2 * DAY_MS <= since
  const isTooNew = until !== undefined && day - DAY_MS > until
  return !isTooOld && !isTooNew
}

/** Decodes a URI component. A text that is none is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface S3Location {
  readonly bucket: string
  /** Beginning of their keys; empty: any. */
  readonly prefix: string
}

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]*)(?:\/(.*))?$/
const SHORTEST_BUCKET = 3

/** Reads `s3://BUCKET/PREFIX`; undefined for what is no such URL. */
export function parseS3Url(text: string): S3Location | undefined {
  const [, bucket, prefix = ''] = S3_URL.exec(text) ?? []
  return bucket === undefined || bucket.length < SHORTEST_BUCKET ? undefined : { bucket, prefix }
}

/**
 * Yields the objects of a location in the order of their keys, but for those of days and clusters that are
 * not wanted. Region and credentials are found as by every AWS tool; `AWS_ENDPOINT_URL_S3` names another
 * server.
 * @throws HistoryError when they cannot be listed, or there is none
 */
export async function* s3Sources(location: S3Location, wanted: Wanted): AsyncGenerator<RecordingSource> {
  const client = await createClient()
  try {
    let isEmpty = true
    for await (const source of walk(client, location, wanted)) {
      isEmpty = false
      yield source
    }
    if (isEmpty)
      throw new HistoryError(`there is no recording of that time and cluster in ${urlOf(location)}`)
  } finally {
    client.destroy()
  }
}

/** Creates the client. The SDK is loaded only now: a command that reads files does not wait for it. */
async function createClient(): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3')
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env
  // Other servers have no host name for each bucket.
  const forcePathStyle = (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined
  return new S3Client({ ...awsClientOptions(), followRegionRedirects: true, forcePathStyle })
}

/** Goes down a level at a time, so that what is not wanted is not even listed. */
async function* walk(
  client: S3Client,
  location: S3Location,
  wanted: Wanted,
): AsyncGenerator<RecordingSource> {
  const { bucket, prefix } = location
  const { objects, prefixes } = await list(client, location)
  for (const key of objects)
    yield { name: urlOf({ bucket, prefix: key }), read: () => readObject(client, bucket, key) }
  for (const deeper of prefixes)
    if (deeper !== prefix && isWanted(deeper, wanted)) yield* walk(client, { bucket, prefix: deeper }, wanted)
}

async function list(
  client: S3Client,
  location: S3Location,
): Promise<{ readonly objects: readonly string[]; readonly prefixes: readonly string[] }> {
  const { paginateListObjectsV2 } = await import('@aws-sdk/client-s3')
  const objects: string[] = []
  const prefixes: string[] = []
  const input = { Bucket: location.bucket, Prefix: location.prefix, Delimiter: '/' }
  try {
    for await (const { Contents = [], CommonPrefixes = [] } of paginateListObjectsV2({ client }, input)) {
      objects.push(...Contents.map(({ Key = '' }) => Key))
      prefixes.push(...CommonPrefixes.map(({ Prefix = '' }) => Prefix))
    }
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new HistoryError(
      `failed to list ${urlOf(location)}: ${reason}; check the bucket, the region and the credentials, and allow s3:ListBucket and s3:GetObject`,
      { cause },
    )
  }
  return { objects, prefixes }
}

async function* readObject(client: S3Client, Bucket: string, Key: string): AsyncGenerator<Buffer> {
  const { GetObjectCommand } = await import('@aws-sdk/client-s3')
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
  yield* decompress(Key, Body as Readable)
}

const urlOf = ({ bucket, prefix }: S3Location): string => `s3://${bucket}/${prefix}`
