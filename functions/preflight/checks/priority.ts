import type { ApiObject, Resource } from '../../../shared/kubernetes/index.ts'
import { type Check, type CheckContext, type Finding, ok, unchecked, warning } from '../check.ts'

const FLOW_SCHEMAS: Resource<ApiObject> = {
  ...{ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema' },
  ...{ plural: 'flowschemas', namespaced: false },
}
/** It has what no other one matches, and next to no share of the server. */
const CATCH_ALL = 'catch-all'

/** How the server ranks our requests. */
export const PRIORITY_CHECKS: readonly Check[] = [{ name: 'priority', run: findFlowSchema }]

async function findFlowSchema({ cluster }: CheckContext): Promise<Finding> {
  const { flowSchema } = await cluster.probe()
  if (flowSchema === undefined) return ok('the server has no API priority and fairness')
  const { items } = await cluster.client.list(FLOW_SCHEMAS, { metadataOnly: true })
  const name = items.find(({ metadata }) => metadata?.uid === flowSchema)?.metadata?.name
  if (name === undefined) return unchecked(`the FlowSchema of our requests is not listed (uid ${flowSchema})`)
  if (name !== CATCH_ALL) return ok(`our requests are of the FlowSchema ${name}`)
  const { username = '' } = await cluster.whoAmI()
  return warning(
    `no FlowSchema matches ${username}: our requests fall into ${CATCH_ALL}, which a busy server refuses first`,
    `make a FlowSchema that gives ${username} the level workload-low: ${cluster.kubectl} explain flowschema.spec; https://kubernetes.io/docs/concepts/cluster-administration/flow-control/`,
  )
}
