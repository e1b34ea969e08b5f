export { assertOwnFile, type FileKind, ForeignFileError, replaceOwnFile } from './own-file.ts'
