import { EMBEDDED_SERVICES } from '../servers.ts'
import { describeKubectl } from './suite.ts'

describeKubectl(EMBEDDED_SERVICES)
