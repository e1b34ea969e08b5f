import { describeAnnotationAdmission } from './annotation-admission.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'

describeAnnotationAdmission('the embedded control plane', (name) =>
  startEmbeddedCluster(name, { crds: true }),
)
