import type { SettingName } from './index.ts'

interface OtherSetting {
  readonly value: unknown
  readonly decides: 'content' | 'pace'
}

/** Another value of every setting, so that one that is added has to say here what it decides. */
export const OTHER_SETTINGS: Readonly<Record<SettingName, OtherSetting>> = {
  mode: { value: 'replace', decides: 'content' },
  managedBy: { value: 'other.dev', decides: 'content' },
  shadow: { value: true, decides: 'content' },
  maxEndpointsPerSlice: { value: 10, decides: 'content' },
  packing: { value: 'compact', decides: 'content' },
  leftovers: { value: 'keep', decides: 'content' },
  mirrorEndpoints: { value: true, decides: 'content' },
  endpointSelectors: { value: true, decides: 'content' },
  serviceProjection: { value: true, decides: 'content' },
  unreachableCluster: { value: 'drop', decides: 'content' },
  unreachableClusterExpiry: { value: 60, decides: 'content' },
  clusterSets: {
    value: '[{"name":"prod","clusters":[{"name":"eu-1"},{"name":"us-1"}]}]',
    decides: 'content',
  },
  maximumRemoval: { value: 0.5, decides: 'content' },
  maximumRemovalCount: { value: 3, decides: 'content' },
  heldPlanExpiry: { value: 60, decides: 'content' },
  refusedAddresses: { value: '10.0.0.0/8', decides: 'content' },
  allowedPods: { value: 'eu-1/shop=us-1/shop', decides: 'content' },
  allowedNetworks: { value: '*/shop=10.0.0.0/8', decides: 'content' },
  allowedAddresses: { value: '*/shop=10.0.0.0/8', decides: 'content' },
  maximumEndpoints: { value: 10, decides: 'content' },
  coalescingWindow: { value: 1, decides: 'pace' },
  batchWindow: { value: 1, decides: 'pace' },
  batchSize: { value: 5, decides: 'pace' },
  maximumConcurrency: { value: 2, decides: 'pace' },
  keysPerCluster: { value: 2, decides: 'pace' },
  apiCallsPerSecond: { value: 2, decides: 'pace' },
  functionTimeout: { value: 2, decides: 'pace' },
  maxReceiveCount: { value: 6, decides: 'pace' },
  recording: { value: 'on', decides: 'pace' },
  logLevel: { value: 'debug', decides: 'pace' },
  traces: { value: 'http://127.0.0.1:4318', decides: 'pace' },
  traceShare: { value: 0.5, decides: 'pace' },
  shard: { value: '0/2', decides: 'pace' },
  stateDir: { value: '/state', decides: 'pace' },
  relayStandby: { value: true, decides: 'pace' },
  standbyDelay: { value: 3, decides: 'pace' },
  sweepInterval: { value: 60, decides: 'pace' },
  auditInterval: { value: 600, decides: 'pace' },
}
