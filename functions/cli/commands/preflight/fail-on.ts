import { Option } from 'commander'
import { FAIL_ON } from '../../../preflight/fail-on.ts'

/** Makes the option that says how many clusters must fail for the checks to fail. */
export const failOnOption = (): Option =>
  new Option(
    '--fail-on <clusters>',
    'fail where a check fails in any cluster, or only where one fails in all of them: run serves the others without those that fail',
  )
    .choices(FAIL_ON)
    .default('any')
