import { EMBEDDED_GENERIC } from '../servers.ts'
import { describeKubectl } from './suite.ts'

/**
 * Those in which kubectl goes by what a server serves. All kinds of this set are in the other one as well, on
 * which embedded-services.test.ts plays every transcript.
 */
describeKubectl(EMBEDDED_GENERIC, ['access', 'api-services', 'custom-resources', 'delete', 'explain'])
