import { gzipSync } from 'node:zlib'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RecordingLine } from '../../../shared/recording/index.ts'
import { stubAws } from '../../../test/support/stub-aws.ts'
import { all, write } from '../lines.fixtures.ts'
import { openRecording, type RecordingQuery } from './open-recording.ts'
import { parseS3Url, s3Sources } from './s3.ts'

const app = buildApp({ logger: false })
let client: S3Client
let endpoint: string
let bucket = 'recordings-0'

beforeAll(async () => {
  endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  stubAws('S3', endpoint, 'eu-west-1')
  client = new S3Client({ forcePathStyle: true })
})
afterAll(async () => {
  client.destroy()
  vi.unstubAllEnvs()
  await app.close()
})
beforeEach(async () => {
  bucket = `recordings-${Number(bucket.split('-')[1]) + 1}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
})

const put = (Key: string, ...lines: readonly RecordingLine[]): Promise<unknown> => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const Body = Key.endsWith('.gz') ? gzipSync(text) : text
  return client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }))
}

const DAY = 24 * 3600
const of = (cluster: string, day: number): RecordingLine => write(day * DAY, `web-${day} - 1`, { cluster })

async function read(query: Partial<RecordingQuery> = {}) {
  const problems: string[] = []
  const from = [`s3://${bucket}/fleet`]
  const onProblem = (problem: string): void => void problems.push(problem)
  const lines = await all(openRecording({ from, cluster: 'eu-1', onProblem, ...query }))
  return { lines, problems }
}

describe('a recording in S3', () => {
  it('is read from all objects of the prefix in the order of their keys', async () => {
    const [one, two, three] = [of('eu-1', 0), of('eu-1', 1), of('eu-1', 2)]
    await put('fleet/day=2026-11-24/cluster=eu-1/a.ndjson', three)
    await put('fleet/day=2026-11-22/cluster=eu-1/b.ndjson.gz', two)
    await put('fleet/day=2026-11-22/cluster=eu-1/a.ndjson', one)
    await put('other/day=2026-11-22/cluster=eu-1/a.ndjson', one)
    expect((await read()).lines).toEqual([one, two, three])
  })

  it('is read of the cluster and the days that are wanted, and of those beside them', async () => {
    for (const day of [20, 21, 22, 23, 24, 25, 26]) {
      await put(`fleet/day=2026-11-${day}/cluster=eu-1/a.ndjson`, of('eu-1', day))
      await put(`fleet/day=2026-11-${day}/cluster=eu-2/a.ndjson`, of('eu-2', day))
    }
    const since = Date.parse('2026-11-23T00:00:00Z')
    const until = Date.parse('2026-11-23T23:59:59Z')
    const { lines } = await read({ since, until })
    expect(lines).toEqual([22, 23, 24].map((day) => of('eu-1', day)))
  })

  it('is found of clusters whatever their names', async () => {
    const cluster = 'arn:aws:eks:eu-west-1:123456789012:cluster/eu-1'
    await put(`fleet/cluster=${encodeURIComponent(cluster)}/a.ndjson`, of(cluster, 1))
    expect((await read({ cluster })).lines).toEqual([of(cluster, 1)])
  })

  it('is read without an object that expires after it was listed, which is named', async () => {
    const days = [1, 2, 3].map((day) => of('eu-1', day))
    for (const [index, line] of days.entries()) await put(`fleet/${index}.ndjson.gz`, line)
    const problems: string[] = []
    const from = [`s3://${bucket}/fleet`]
    const lines: RecordingLine[] = []
    for await (const line of openRecording({ from, onProblem: (problem) => void problems.push(problem) })) {
      lines.push(line)
      if (lines.length === 1)
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'fleet/1.ndjson.gz' }))
    }
    expect(lines).toEqual([days[0], days[2]])
    expect(problems).toEqual([
      `s3://${bucket}/fleet/1.ndjson.gz: it expired, or was deleted, after it was listed`,
    ])
  })

  it('is listed over more than one page', async () => {
    const names = Array.from(
      { length: 1_001 },
      (_, index) => `fleet/${String(index).padStart(4, '0')}.ndjson`,
    )
    // A client would sign each of them.
    for (const name of names) await fetch(`${endpoint}/${bucket}/${name}`, { method: 'PUT', body: '{}' })
    const sources = await all(s3Sources({ bucket, prefix: 'fleet/' }, { cluster: 'eu-1' }))
    expect(sources.map(({ name }) => name)).toEqual(names.map((name) => `s3://${bucket}/${name}`))
  })

  it.each([
    ['has nothing there', 'nothing', 'there is no recording of that time and cluster in s3://'],
    ['is not there', undefined, 'NoSuchBucket'],
  ])('says so where a bucket %s', async (_, prefix, message) => {
    const from = [prefix === undefined ? 's3://no-such-bucket/' : `s3://${bucket}/${prefix}`]
    await expect(read({ from })).rejects.toThrow(message)
  })
})

it.each([
  ['s3://recordings', { bucket: 'recordings', prefix: '' }],
  ['s3://recordings/', { bucket: 'recordings', prefix: '' }],
  ['s3://my.recordings-1/a/b/', { bucket: 'my.recordings-1', prefix: 'a/b/' }],
  ['recordings/a.ndjson', undefined],
  ['s3:/recordings', undefined],
  ['s3://a', undefined],
])('%s is taken for %j', (text, location) => expect(parseS3Url(text)).toEqual(location))
