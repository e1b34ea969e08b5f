export { nameAndAge, tableOf } from './columns.ts'
export { ageOf, ageSince, firstFew, formatLabels, orNone, servicePort, shortAge } from './format.ts'
