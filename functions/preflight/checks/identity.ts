import { type Check, type CheckContext, type Finding, failure, ok, warning } from '../check.ts'

/** Identity of the cluster, independent of its name. */
export const IDENTITY_CHECKS: readonly Check[] = [{ name: 'identity', run: identify }]

async function identify({ cluster, sameClusters }: CheckContext): Promise<Finding> {
  const same = (await sameClusters()).find((each) => each.cluster === cluster.name)
  if (same !== undefined)
    return failure(
      same.message,
      `name this cluster once: leave --context ${cluster.name} out, or have it lead elsewhere`,
    )
  const uid = await cluster.uid()
  if (uid !== undefined) return ok(`no other one here; kube-system has the uid ${uid}`)
  return warning(
    'the namespace kube-system may not be read: this cluster is told from others by its address and certificate authority alone',
    await cluster.grant([]),
  )
}
