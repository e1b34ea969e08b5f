export const counted = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** Of numbers that are not whole: one digit after the point, where it says something. */
export const numberText = (value) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })

/** `–` of what is not known. */
export function durationText(seconds) {
  if (seconds === undefined) return '–'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 120) return `${numberText(seconds)} s`
  return `${Math.round(seconds / 60)} min`
}

export const clockText = (at) => new Date(at).toLocaleTimeString('en-GB')
