import type { AdmissionPlugin } from '../apiserver/registry/admission/types.ts'
import type { Registry } from '../apiserver/registry/registry.ts'
import { lazyPlugin, lazyWebhooks } from './lazy-webhooks.ts'

const GROUP = 'admissionregistration.k8s.io'

/** The plugins of a server. */
interface ServerAdmission {
  readonly plugins: readonly AdmissionPlugin[]
  /** Ends what they keep open. */
  close(): void
}

/**
 * Puts the configured plugins between those that objects configure, in kube-apiserver's order: after those
 * that change objects, and before those that validate them.
 */
export function serverAdmission(registry: Registry, configured: readonly AdmissionPlugin[]): ServerAdmission {
  const webhooks = lazyWebhooks(async () => (await import('./webhooks/index.ts')).webhookPlugins(registry))
  const isUsed = (resource: string) => () => registry.objects.list(`${resource}.${GROUP}`).length > 0
  const policies = async () => await import('./policies/index.ts')
  return {
    plugins: [
      lazyPlugin({
        name: 'MutatingAdmissionPolicy',
        phase: 'mutate',
        isUsed: isUsed('mutatingadmissionpolicybindings'),
        load: async () => (await policies()).mutatingPolicies(registry),
      }),
      lazyPlugin({
        name: 'MutatingAdmissionWebhook',
        phase: 'mutate',
        isUsed: isUsed('mutatingwebhookconfigurations'),
        load: async () => (await webhooks.load()).mutating,
      }),
      ...configured,
      lazyPlugin({
        name: 'ValidatingAdmissionPolicy',
        phase: 'validate',
        isUsed: isUsed('validatingadmissionpolicybindings'),
        load: async () => (await policies()).validatingPolicies(registry),
      }),
      lazyPlugin({
        name: 'ValidatingAdmissionWebhook',
        phase: 'validate',
        isUsed: isUsed('validatingwebhookconfigurations'),
        load: async () => (await webhooks.load()).validating,
      }),
    ],
    close: () => webhooks.close(),
  }
}
