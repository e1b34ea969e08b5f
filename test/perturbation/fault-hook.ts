/** Puts the fault that the environment names into a process, as a module of `--import`. */
import { FAULT_NAMES, putFault } from './faults.ts'

const name = FAULT_NAMES.find((one) => one === process.env.SLICEFLOW_TEST_FAULT)
if (name === undefined) throw new Error(`SLICEFLOW_TEST_FAULT must be one of ${FAULT_NAMES.join(', ')}`)
putFault(name)
