export { THEME_NAMES } from './drawing.ts'
export { fleetPicture } from './fleet-picture.ts'
export { referencePage } from './page.ts'
export { architecturePicture } from './picture.ts'
