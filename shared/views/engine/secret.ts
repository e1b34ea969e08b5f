import { isObject, type Json, type JsonObject, member } from '../json/index.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes the base64 data of a Secret to plain text, so that pipelines can work with it. */
export function decodedSecret(secret: JsonObject): JsonObject {
  const data = member(secret, 'data')
  if (!isObject(data)) return secret
  return {
    ...secret,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decoded(value)])),
  }
}

function decoded(value: Json): Json {
  if (typeof value !== 'string' || !BASE64.test(value)) return value
  return Buffer.from(value, 'base64').toString('utf8')
}
