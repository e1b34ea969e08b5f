import { EMBEDDED_GENERIC } from '../servers.ts'
import { describeKubectl } from './suite.ts'

describeKubectl(EMBEDDED_GENERIC)
