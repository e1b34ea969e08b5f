/** Once a minute, so that the sum of a minute is the number of relays; an alarm of infra/ counts them. */
export const RELAY_UP = 'RelayUp'
/** Prefix of the metrics of a standby beside an active relay of its deployment. */
export const STANDBY_PREFIX = 'Standby'
/**
 * Values from which a cluster has metrics of its own though there are too many clusters for that: alarms name
 * the cluster by these metrics. Each is below the threshold of its alarm.
 */
export const NAMED_FROM = {
  RelayWatchFailing: 1,
  RelayWatchLastByteSeconds: 90,
  RelayOldestPendingKeySeconds: 10,
  RelayKeysRejected: 1,
}
