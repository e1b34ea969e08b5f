import { itAggregatesRoles } from '../controllers/aggregated-roles.ts'
import { itFinishesDeletions } from '../controllers/deletions.ts'
import { itKeepsQuotas } from '../controllers/quotas.ts'
import { describeControllers } from '../controllers/scene.ts'
import { itHasServiceAccounts } from '../controllers/service-accounts.ts'
import { itGoesOn } from './controllers/outage.ts'
import { startManaged, startOurs } from './controllers/scene.ts'
import { itFollowsServices } from './controllers/slices.ts'

/**
 * kube-controller-manager's controllers on the embedded server, as they work on kube-apiserver, and ours on
 * kube-apiserver.
 */
const JSON_ONLY = { contentType: 'application/json' }

describeControllers('our controllers on kube-apiserver', startOurs, (scene, running) => {
  itHasServiceAccounts(scene)
  itFinishesDeletions(scene)
  itKeepsQuotas(scene)
  itAggregatesRoles(scene)
  itGoesOn(scene, running)
})

describeControllers(
  'kube-controller-manager on the generic resources, as the administrator, over JSON',
  () => startManaged({ resources: 'generic', ownAccounts: false, ...JSON_ONLY }),
  (scene) => {
    itHasServiceAccounts(scene)
    itFinishesDeletions(scene)
    itKeepsQuotas(scene)
  },
)

describeControllers(
  'kube-controller-manager on the generic resources, under RBAC, over protobuf',
  () => startManaged({ resources: 'generic', ownAccounts: true }),
  (scene) => {
    itHasServiceAccounts(scene)
    itFinishesDeletions(scene)
    itKeepsQuotas(scene)
  },
)

describeControllers(
  'kube-controller-manager on Services, as the administrator, over JSON',
  () => startManaged({ resources: 'services', ownAccounts: false, ...JSON_ONLY }),
  itFollowsServices,
)

describeControllers(
  'kube-controller-manager on Services, under RBAC, over protobuf',
  () => startManaged({ resources: 'services', ownAccounts: true }),
  (scene, running) => {
    itFollowsServices(scene, running)
    itFinishesDeletions(scene)
  },
)
