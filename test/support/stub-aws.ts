import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, vi } from 'vitest'

type AwsService = 'CLOUDFORMATION' | 'S3' | 'SECRETS_MANAGER' | 'SQS'

/**
 * Points the clients of a service of AWS to a server of the test, by the environment, with a region and
 * credentials. `vi.unstubAllEnvs()` ends it.
 */
export function stubAws(service: AwsService, endpoint: string, region = 'us-east-1'): void {
  vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint)
  vi.stubEnv('AWS_REGION', region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
}

/** Answers the requests to services of AWS in the region eu-west-1 until the test ends. */
export async function serveAws(services: readonly AwsService[], answer: RequestListener): Promise<void> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  for (const service of services) stubAws(service, `http://127.0.0.1:${port}`, 'eu-west-1')
}
