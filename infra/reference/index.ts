export { referencePage } from './page.ts'
export { architecturePicture, THEME_NAMES } from './picture.ts'
