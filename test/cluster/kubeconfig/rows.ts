import { CLUSTER_ROWS } from './cluster-rows.ts'
import { EXEC_ROWS } from './exec-rows.ts'
import { CONTEXT_ROWS, ENVIRONMENT_ROWS, FILE_ROWS } from './file-rows.ts'
import { PROXY_ROWS } from './proxy-rows.ts'
import type { Row } from './row.ts'
import { USER_ROWS } from './user-rows.ts'

/** The table: what kubectl is given, and Sliceflow after it. */
export const ROWS: readonly Row[] = [
  ...CLUSTER_ROWS,
  ...USER_ROWS,
  ...EXEC_ROWS,
  ...CONTEXT_ROWS,
  ...FILE_ROWS,
  ...ENVIRONMENT_ROWS,
  ...PROXY_ROWS,
]
