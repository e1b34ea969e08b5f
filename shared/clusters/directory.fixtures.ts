import { afterEach, beforeEach, vi } from 'vitest'
import { createLogger, type Log } from '../telemetry/index.ts'
import { createFakeAws, type FakeAws } from './fake-aws.fixtures.ts'
import { type ClusterConfig, type ClusterDirectory, createClusterDirectory } from './index.ts'

/** Secret of the cluster {@link SECRET}. */
export const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf'
export const EKS = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' } as const
export const SECRET = { name: 'edge', kind: 'secret', secretArn: SECRET_ARN } as const
export const SEARCH = { kind: 'discover', region: 'eu-west-1', tagKey: 'manage', tagValue: 'yes' } as const

/** What a test has of AWS, and what was logged. */
export interface DirectoryScene {
  readonly aws: FakeAws
  readonly log: string
  readonly logger: Log
  readonly directoryOf: (...clusters: ClusterConfig[]) => ClusterDirectory
}

/** Gives each test an AWS of its own, and a clock that stands still. */
export function useDirectory(): DirectoryScene {
  let aws: FakeAws
  let log: string
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    aws = createFakeAws()
    log = ''
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const logger = createLogger({
    write: (line) => {
      log += line
    },
  })
  return {
    get aws() {
      return aws
    },
    get log() {
      return log
    },
    logger,
    directoryOf: (...clusters) => createClusterDirectory({ clusters, aws, logger }),
  }
}
