import { KUBE_APISERVER } from '../servers.ts'
import { describeKubectl } from './suite.ts'

describeKubectl(KUBE_APISERVER)
