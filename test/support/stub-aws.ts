import { vi } from 'vitest'

/**
 * Points the clients of a service of AWS to a server of the test, by the environment, with a region and
 * credentials. `vi.unstubAllEnvs()` ends it.
 */
export function stubAws(
  service: 'CLOUDFORMATION' | 'S3' | 'SQS',
  endpoint: string,
  region = 'us-east-1',
): void {
  vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint)
  vi.stubEnv('AWS_REGION', region)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')
}
