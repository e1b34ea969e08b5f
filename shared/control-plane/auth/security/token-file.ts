import type { User } from '../../apiserver/registry/access.ts'
import type { StaticTokens } from './authentication.ts'

/**
 * Parses a token file like that of kube-apiserver's `--token-auth-file`: a line for each token,
 * `token,user,uid,"group1,group2"`, the last two optional. Throws for malformed lines; the message gives the
 * number of the line and never its text.
 * @example
 * ```ts
 * const tokens = parseTokenFile('s3cret,ada,u1,"dev,ops"')
 * tokens.s3cret?.groups // => ['dev', 'ops']
 * ```
 */
export function parseTokenFile(text: string): StaticTokens {
  const users = new Map<string, User>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const [token = '', username = '', uid = '', groups = ''] = fieldsOf(line)
    if (token === '' || username === '') {
      throw new Error(
        `failed to read line ${index + 1} of the token file: it must begin with a token and a user`,
      )
    }
    if (users.has(token)) {
      throw new Error(`failed to read line ${index + 1} of the token file: its token stands above already`)
    }
    const named = groups.split(',').map((group) => group.trim())
    users.set(token, {
      username,
      groups: named.filter((group) => group !== ''),
      ...(uid === '' ? {} : { uid }),
    })
  }
  return Object.fromEntries(users)
}

/** Splits a line of CSV into fields, in quotes or not. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'),
  )
}
