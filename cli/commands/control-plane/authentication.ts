import type { AuthenticationOptions, JwtAuthenticatorOptions } from '../../../shared/control-plane/index.ts'
import { commaSeparated } from '../../../shared/values/index.ts'
import { readText } from '../../deployment/read-text.ts'
import { UsageError } from '../../usage.ts'
import type { ControlPlaneFlags } from './command.ts'

/** Reads the users of the token file and of the issuer. Errors say what is wrong and never show a token. */
export async function authenticationOf({
  users,
  proxies,
  oidc,
}: ControlPlaneFlags): Promise<AuthenticationOptions> {
  const { tokenAuthFile, clientCaFile, anonymousAuth } = users
  // Loaded when it is needed: it would slow down every --help.
  const { parseTokenFile } = await import('../../../shared/control-plane/index.ts')
  const tokens = tokenAuthFile === undefined ? {} : parseTokenFile(readText('token file', tokenAuthFile))
  const clientAuthorities = clientCaFile === undefined ? [] : [readAuthorities(clientCaFile)]
  return {
    tokens,
    anonymous: anonymousAuth === true,
    clientAuthorities,
    jwt: jwtOf(oidc),
    ...requestHeaderOf(proxies),
  }
}

function requestHeaderOf({
  requestheaderClientCaFile: file,
  requestheaderAllowedNames: names = '',
}: ControlPlaneFlags['proxies']): { readonly requestHeader?: AuthenticationOptions['requestHeader'] } {
  if (file === undefined) return {}
  const clientAuthorities = [readAuthorities(file)]
  const allowedNames = commaSeparated(names).filter((name) => name !== '')
  return { requestHeader: { clientAuthorities, allowedNames } }
}

/** Checks the file of authorities; the server itself reads the certificates. */
function readAuthorities(file: string): string {
  const text = readText('authorities', file)
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`failed to read the authorities ${file}: there is no certificate in PEM`)
  return text
}

function jwtOf(flags: ControlPlaneFlags['oidc']): JwtAuthenticatorOptions[] {
  const { oidcIssuerUrl: issuer, oidcClientId: audience, oidcKeySet: keySet } = flags
  if (issuer === undefined && audience === undefined && keySet === undefined) return []
  if (issuer === undefined || audience === undefined || keySet === undefined) {
    throw new UsageError('--oidc-issuer-url, --oidc-client-id and --oidc-key-set go together')
  }
  const { oidcUsernameClaim: usernameClaim, oidcGroupsClaim: groupsClaim } = flags
  return [{ issuer, audiences: [audience], keySet, usernameClaim, groupsClaim }]
}
