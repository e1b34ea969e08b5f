import { gzipSync } from 'node:zlib'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { RecordingLine } from '../../shared/recording/index.ts'
import { churnWorkload, simulate } from '../../shared/simulation/index.ts'
import { recordWorkload } from '../../shared/simulation/recorded/record-workload.fixtures.ts'
import { stubAws } from '../../test/support/stub-aws.ts'
import { openRecorded } from './open-recorded.ts'

const app = buildApp({ logger: false })
const BUCKET = 'recordings'
let client: S3Client

beforeAll(async () => {
  stubAws('S3', await app.listen({ port: 0, host: '127.0.0.1' }), 'eu-west-1')
  client = new S3Client({ forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
})
afterAll(async () => {
  client.destroy()
  vi.unstubAllEnvs()
  await app.close()
})

/** Stores lines as the workers of a deployment do, a gzipped object each. */
async function store(objects: Readonly<Record<string, readonly RecordingLine[]>>): Promise<void> {
  for (const [name, lines] of Object.entries(objects)) {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const Key = `recordings/day=2026-11-22/cluster=eu-1/${name}.ndjson.gz`
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: gzipSync(text) }))
  }
}

it('simulates what a deployment has recorded in S3 as what one process has recorded in order', async () => {
  const size = { services: 2, endpoints: 20, nodes: 4 }
  const { lines } = await recordWorkload(
    churnWorkload(size, { seed: 1, duration: 240, meanChange: 20, recovery: 5 }),
  )
  const isOfRelay = ({ kind }: RecordingLine): boolean => kind === 'change'
  await store({ a: lines.filter((line) => !isOfRelay(line)), b: lines.filter(isOfRelay) })

  const problems: string[] = []
  const onProblem = (problem: string): void => void problems.push(problem)
  const workload = await openRecorded({ from: [`s3://${BUCKET}/recordings/`], cluster: 'eu-1', onProblem })
  const { run } = await simulate({ workload, policy: 'in-tree' })
  const writes = lines.filter(({ kind }) => kind === 'write').length
  expect(writes).toBeGreaterThan(100)
  expect(Math.abs(run.writes / writes - 1)).toBeLessThan(0.2)
  expect(problems).toEqual([])
})
