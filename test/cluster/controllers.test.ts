import { itFinishesDeletions } from './controllers/deletions.ts'
import { describeControllers } from './controllers/scene.ts'
import { itHasServiceAccounts } from './controllers/service-accounts.ts'
import { itFollowsServices } from './controllers/slices.ts'

/** kube-controller-manager's controllers on the embedded server, as they work on kube-apiserver. */
const JSON_ONLY = { contentType: 'application/json' }

describeControllers(
  'kube-controller-manager on the generic resources, as the administrator, over JSON',
  { resources: 'generic', ownAccounts: false, ...JSON_ONLY },
  (scene) => {
    itHasServiceAccounts(scene)
    itFinishesDeletions(scene)
  },
)

describeControllers(
  'kube-controller-manager on the generic resources, under RBAC, over protobuf',
  { resources: 'generic', ownAccounts: true },
  (scene) => {
    itHasServiceAccounts(scene)
    itFinishesDeletions(scene)
  },
)

describeControllers(
  'kube-controller-manager on Services, as the administrator, over JSON',
  { resources: 'services', ownAccounts: false, ...JSON_ONLY },
  itFollowsServices,
)

describeControllers(
  'kube-controller-manager on Services, under RBAC, over protobuf',
  { resources: 'services', ownAccounts: true },
  (scene) => {
    itFollowsServices(scene)
    itFinishesDeletions(scene)
  },
)
