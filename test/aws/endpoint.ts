import { env } from 'node:process'

export const ENDPOINT_VARIABLE = 'SLICEFLOW_TEST_AWS_ENDPOINT'

/** Variable with the URL of a second SQS server, ElasticMQ. */
export const QUEUE_ENDPOINT_VARIABLE = 'SLICEFLOW_TEST_ELASTICMQ_ENDPOINT'
export const queueEndpoint = env[QUEUE_ENDPOINT_VARIABLE]

/** URL of the emulator; undefined in a run without one, in which its tests are skipped. */
export const emulatorEndpoint = env[ENDPOINT_VARIABLE]

/**
 * Words in the names of suites that need the emulator, so that a list of skipped tests says how to run them.
 */
export const HOW_TO_RUN = 'as moto emulates it (npm run test:aws)'

/** A region of the emulator. */
export interface EmulatedRegion {
  readonly name: string
  /** Where what runs in it reaches the emulator; a test may cut this off. */
  readonly endpoint: string
}

export const emulatorConfig = {
  endpoint: emulatorEndpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const

/** The region of tests that need no other. */
export const HOME: EmulatedRegion = { name: emulatorConfig.region, endpoint: emulatorEndpoint ?? '' }
