import { describeAnnotationAdmission } from '../end-to-end/annotation-admission.ts'
import { startRealCluster } from './end-to-end-cluster.ts'

describeAnnotationAdmission('kube-apiserver', (name) => startRealCluster(name))
