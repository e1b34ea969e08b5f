import type { Scene } from './scene.ts'

/** What a row of the table puts before both programs. */
export interface Setup {
  /** Added to a cluster of server `a` with its authority; a field of null is left out. */
  readonly cluster?: object
  /** In place of a user with a token. */
  readonly user?: object
  readonly context?: object
  /** Files beside the kubeconfig; those called plugin are programs. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Texts that replace those of the kubeconfig. */
  readonly replace?: readonly (readonly [string, string])[]
  /** Further kubeconfigs by their names; then KUBECONFIG, and no flag, says which are read. */
  readonly others?: Readonly<Record<string, object>>
}

export interface Row {
  /** `Type.field` of client-go, or a variable of the environment. */
  readonly of: string
  readonly name: string
  readonly ends: 'reached' | 'refused'
  readonly setup: (scene: Scene, folder: string) => Setup
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** @param title `Type.field: in which case` */
export function row(title: string, ends: Row['ends'], setup: Row['setup']): Row {
  const [of = '', ...name] = title.split(': ')
  return { of, name: name.join(': '), ends, setup }
}

/** A server whose name only a proxy can resolve. */
export const FAR = 'https://api.corp.example:6443'

export const pair = ({ client }: Scene) => ({
  'client-certificate-data': base64(client.certificate),
  'client-key-data': base64(client.key),
})
