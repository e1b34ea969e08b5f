/** One Service of one cluster: "reconcile this one". */
export interface ServiceKey {
  /** The cluster's name: the kubeconfig context, or the name it has in the deployment. */
  readonly cluster: string
  readonly namespace: string
  readonly service: string
}

/** `cluster/namespace/service`; namespaces and services hold no slash, so that the text is unambiguous. */
export type KeyText = string & { readonly __brand: 'KeyText' }

export const keyText = (key: ServiceKey): KeyText =>
  `${key.cluster}/${key.namespace}/${key.service}` as KeyText

/** Parses the text of a key. */
export function parseKeyText(text: KeyText): ServiceKey {
  const parts = text.split('/')
  const [namespace = '', service = ''] = parts.splice(-2)
  return { cluster: parts.join('/'), namespace, service }
}
