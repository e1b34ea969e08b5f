import type { Scenario } from './scenario.ts'
import type { View } from './simulated-api.ts'

/** Describes the writer: what it has seen, and which slices are its own. */
export const writerOf = (
  { settings, service }: Scenario,
  { view }: { readonly view: View },
): { readonly view: View; readonly managedBy: string; readonly service: string } => ({
  view,
  managedBy: settings.managedBy,
  service: service.name,
})
