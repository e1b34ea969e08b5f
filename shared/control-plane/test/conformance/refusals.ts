import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json, RawResponse } from '../../../../test/support/raw-client.ts'
import type { Subject } from './subject.ts'

/** A request that kube-apiserver 1.36 refuses, and all that it says of it. */
interface Refusal {
  /** Method and path. */
  readonly request: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** In place of a body: what is laid over a right one. */
  readonly wrong?: Json
  readonly status: number
  /** The message, or each of several causes. Absent: the answer has no body. */
  readonly said?: string | readonly string[]
}

/** Characters of an answer in the name of a test. */
const TITLE = 100

/**
 * Describes the refusals of a file in `testdata/refusals`, which has one a line.
 * @param bodyOf returns a body that is right but for what is laid over it
 */
export function describeRefusals(
  subject: Pick<Subject, 'client'>,
  file: string,
  bodyOf?: (wrong: Json, path: string) => Json,
): void {
  const refusals = read(file).map((refusal) => [titleOf(refusal), refusal] as const)
  describe('refused', () => {
    it.each(refusals)('%s', async (_, { request, headers, body, wrong, status, said }) => {
      const [method = '', path = ''] = request.split(' ')
      const sent = bodyOf && wrong !== undefined ? bodyOf(wrong, path) : body
      const answer = await subject.client.send(method, path, { headers, body: sent })
      expect([answer.status, saidIn(answer)]).toEqual([status, said])
    })
  })
}

function read(file: string): Refusal[] {
  const text = readFileSync(new URL(`./testdata/refusals/${file}.ndjson`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const titleOf = ({ request, said = '' }: Refusal): string =>
  `${request.split(' ')[0]}: ${String(said).slice(0, TITLE)}`

function saidIn({ body, text }: RawResponse): Refusal['said'] {
  const causes: Json[] = body?.details?.causes ?? []
  if (causes.length > 1) return causes.map(({ field, message }) => `${field ?? ''}: ${message}`)
  return body?.message ?? (text || undefined)
}
