const KEY = '"managedFields":['
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x5b
const CLOSE = 0x5d

/**
 * Empties every list `managedFields` of a JSON text. They make up a third of a Pod, and more of the time of
 * parsing it. The key is recognized as API servers write it, without white space; within a string its quotes
 * would be escaped. A text that is no JSON stays one that is none.
 */
export function withoutManagedFields(json: string): string {
  let text = ''
  let copied = 0
  for (let at = json.indexOf(KEY); at !== -1; at = json.indexOf(KEY, copied)) {
    const begin = at + KEY.length
    text += json.slice(copied, begin)
    copied = endOfArray(json, begin)
  }
  return copied === 0 ? json : text + json.slice(copied)
}

/** Finds the bracket that ends the array. @param at index of its first element */
function endOfArray(json: string, at: number): number {
  let depth = 1
  for (let index = at; index < json.length; index++) {
    const character = json.charCodeAt(index)
    if (character === QUOTE) index = endOfString(json, index + 1)
    else if (character === OPEN) depth++
    else if (character === CLOSE && --depth === 0) return index
  }
  return json.length
}

function endOfString(json: string, at: number): number {
  let index = at
  for (; index < json.length && json.charCodeAt(index) !== QUOTE; index++)
    if (json.charCodeAt(index) === BACKSLASH) index++
  return index
}
