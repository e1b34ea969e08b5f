/** Names the flag of a setting: `maxEndpointsPerSlice` → `--max-endpoints-per-slice`. */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Names the variable of a setting: `maxEndpointsPerSlice` → `SLICEFLOW_MAX_ENDPOINTS_PER_SLICE`. */
export const variableOf = (name: string): string =>
  `SLICEFLOW_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
