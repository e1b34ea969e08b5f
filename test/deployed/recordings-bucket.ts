import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CreateBucketCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { buildApp } from 'fauxqs'
import { onTestFinished } from 'vitest'
import { type RecordingLine, readRecords } from '../../shared/recording/index.ts'

/** A bucket that recordings are stored in. */
export interface RecordingsBucket {
  /** Variables that CloudFormation would set for those who record. */
  readonly environment: Readonly<Record<string, string>>
  /** Reads the records of all objects, by the objects' folders. */
  read(): Promise<ReadonlyMap<string, readonly RecordingLine[]>>
}

const NAME = 'recordings'

/** Creates a bucket on a server of its own, which ends with the test. */
export async function createRecordingsBucket(): Promise<RecordingsBucket> {
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1', credentials })
  onTestFinished(() => client.destroy())
  await client.send(new CreateBucketCommand({ Bucket: NAME }))

  async function recordsIn(key: string): Promise<readonly RecordingLine[]> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: NAME, Key: key }))
    const bytes = Readable.from([await Body?.transformToByteArray()]).pipe(createGunzip())
    const records: RecordingLine[] = []
    const refuse = ({ problem }: { problem: string }): never => {
      throw new Error(`a line of ${key} ${problem}`)
    }
    for await (const record of readRecords(bytes, refuse)) records.push(record)
    return records
  }

  return {
    environment: {
      AWS_ENDPOINT_URL_S3: endpoint,
      SLICEFLOW_RECORDING: 'on',
      SLICEFLOW_RECORDINGS_BUCKET: NAME,
    },
    async read() {
      const folders = new Map<string, RecordingLine[]>()
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: NAME }))
        for (const { Key = '' } of Contents) {
          const folder = Key.slice(0, Key.lastIndexOf('/'))
          folders.set(folder, [...(folders.get(folder) ?? []), ...(await recordsIn(Key))])
        }
      return folders
    },
  }
}
