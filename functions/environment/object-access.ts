import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { awsClientOptions } from '../../shared/proxy/index.ts'

type PutObject = (key: string, body: Buffer, signal: AbortSignal) => Promise<void>

/**
 * Creates a function that writes objects. Region and credentials come from the environment;
 * `AWS_ENDPOINT_URL_S3` names another server, without a host name for each bucket.
 */
export function createPutObject(bucket: string): PutObject {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env
  const forcePathStyle = (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined
  const client = new S3Client({ ...awsClientOptions(), forcePathStyle })
  return async (key, body, abortSignal) => {
    const object = { Bucket: bucket, Key: key, Body: body, ContentType: 'application/gzip' }
    await client.send(new PutObjectCommand(object), { abortSignal })
  }
}
