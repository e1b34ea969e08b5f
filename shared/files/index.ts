export { lockFile } from './exclusive-file.ts'
export { assertOwnFile, type FileKind, ForeignFileError, replaceOwnFile } from './own-file.ts'
