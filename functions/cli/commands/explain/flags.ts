import type { KubeconfigFiles } from '../../../../shared/kubernetes/index.ts'
import type { FleetOptions } from '../../options/fleet.ts'
import type { NamespaceOptions } from '../../options/namespace.ts'
import type { OutputFormat } from '../../options/output.ts'

/** The flags of `explain`, the settings among them as text. */
export interface ExplainOptions extends FleetOptions, NamespaceOptions, Readonly<Record<string, unknown>> {
  readonly kubeconfig: KubeconfigFiles
  /** One at most where a Service is asked for without a cluster set. */
  readonly context: readonly string[]
  readonly relay?: string
  /** Recordings: files, or `s3://BUCKET/PREFIX`. */
  readonly from: readonly string[]
  readonly allNamespaces?: true
  readonly output: OutputFormat
}
