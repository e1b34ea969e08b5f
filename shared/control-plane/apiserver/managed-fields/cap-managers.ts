import { union } from './fields/field-set.ts'
import { isSameManager, type Manager } from './managers.ts'

/** More updaters than this are not kept apart, as by the real server. */
const MAXIMUM_UPDATERS = 10
const BUCKET = 'ancient-changes'

/**
 * Limits the number of updaters: the oldest of an API version become one, `ancient-changes`. Appliers stay as
 * they are.
 */
export function capManagers(managers: readonly Manager[]): Manager[] {
  const updaters = managers.filter(({ operation }) => operation === 'Update').sort(byAge)
  let surplus = updaters.length - MAXIMUM_UPDATERS
  const out = new Set(managers)
  const firstOfVersion = new Map<string, Manager>()
  for (const updater of updaters) {
    if (surplus <= 0) break
    const { apiVersion } = updater
    const first = firstOfVersion.get(apiVersion)
    if (first) {
      const bucket = [...out].find((manager) => isSameManager(manager, bucketOf(updater))) ?? first
      out.delete(bucket)
      out.delete(updater)
      out.add({ ...bucketOf(updater), fields: union(bucket.fields, updater.fields) })
      surplus--
    } else firstOfVersion.set(apiVersion, updater)
  }
  return [...out]
}

const bucketOf = (updater: Manager): Manager => ({ ...updater, name: BUCKET, subresource: '' })

function byAge({ time: a = '', name: x }: Manager, { time: b = '', name: y }: Manager): number {
  return `${a}\0${x}` < `${b}\0${y}` ? -1 : 1
}
