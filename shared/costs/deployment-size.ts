/** Work that a deployment has to do, and the settings on which its costs depend. */
export interface DeploymentSize {
  readonly clusters: number
  /** Pods of all clusters together. */
  readonly pods: number
  /** Services of all clusters together. */
  readonly services: number
  /** Changes of Pods and Services that endpoints show, of all clusters together. */
  readonly changesPerSecond: number
  readonly auditInterval: number
  /** Seconds for which the live lane gathers messages. */
  readonly batchWindow: number
  readonly batchSize: number
  readonly maximumConcurrency: number
  /** Provisioned pollers of the live lane; 0: those that all functions share. */
  readonly minimumPollers: number
  readonly maximumPollers: number
  readonly functionMemory: number
  readonly relayShards: number
  readonly relayCpu: number
  readonly relayMemory: number
  /** Reports whether X-Ray traces calls. */
  readonly tracing: boolean
  /** Share of the Services that are recorded. */
  readonly recording: number
  readonly recordingRetention: number
  readonly logRetention: number
  readonly natGateways: number
  readonly canary: boolean
  /** Interface endpoints in the VPC, each in so many zones. Those of S3 and DynamoDB are none. */
  readonly vpcEndpoints: number
  readonly zones: number
  /** Reports whether queues, topics, logs and recordings have a KMS key of one's own. */
  readonly encryptionKey: boolean
  /** Whether it is a standby in another region, which watches but sends nothing while the other one works. */
  readonly standby: boolean
  /** Clusters in cluster sets; 0: there is no set. */
  readonly fleetClusters: number
  /** Services that are exported, counted once however many clusters export them. */
  readonly fleetServices: number
  /** Changes of exported Services' endpoints, on top of `changesPerSecond`. */
  readonly fleetChangesPerSecond: number
}

/** The settings as they are by default. */
export const DEFAULT_SIZE = {
  auditInterval: 86_400,
  batchWindow: 0,
  batchSize: 10,
  maximumConcurrency: 5,
  minimumPollers: 0,
  maximumPollers: 0,
  functionMemory: 512,
  relayShards: 1,
  relayCpu: 256,
  relayMemory: 512,
  tracing: false,
  recording: 0,
  recordingRetention: 30,
  logRetention: 30,
  natGateways: 0,
  canary: false,
  vpcEndpoints: 0,
  zones: 2,
  encryptionKey: false,
  standby: false,
  fleetClusters: 0,
  fleetServices: 0,
  fleetChangesPerSecond: 0,
} as const satisfies Partial<DeploymentSize>

/** Number of CloudWatch's items in a deployment. A test compares them with the real ones. */
export const COUNTS = {
  /** Their metrics: each is paid as an alarm. */
  alarms: 27,
  /** Metrics of each cluster that alarms by cluster match while nothing fails: each is paid as an alarm. */
  alarmsOfCluster: 2,
  /** One a severity. */
  compositeAlarms: 2,
  dashboards: 1,
  /** Metrics while nothing fails: whatever the clusters, and of each. */
  metrics: 29,
  metricsOfCluster: 14,
  /** Above so many clusters a relay folds them together; these are then the metrics. */
  mostClustersAlone: 20,
  metricsFolded: 35,
  /** More with a canary, beside a metric of each cluster and one of all. */
  canaryAlarms: 3,
  canaryAlarmsOfCluster: 1,
  /** More of a standby deployment. */
  standbyAlarms: 1,
  /** More with cluster sets, whatever their number. */
  fleetAlarms: 3,
  fleetMetrics: 5,
} as const

/** Reports whether the metrics of relays are sums over all clusters: of many clusters, and of a standby. */
export const isFoldedTogether = ({ clusters, relayShards, standby }: DeploymentSize): boolean =>
  standby || clusters / relayShards > COUNTS.mostClustersAlone

/** Reports whether relays have public addresses, as nothing else leads them to AWS. */
export const isPublic = ({ natGateways, vpcEndpoints }: DeploymentSize): boolean =>
  natGateways === 0 && vpcEndpoints === 0
