// Texts of label selectors need it, too, and are read where clients are.
export { quoted } from '../kubernetes/index.ts'
